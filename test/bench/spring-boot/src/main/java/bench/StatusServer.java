package bench;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.security.crypto.password.NoOpPasswordEncoder;
import org.springframework.security.crypto.password.PasswordEncoder;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** The same status as a Spring Boot service returns it, with HTTP Basic of Spring Security. */
@SpringBootApplication
@RestController
public class StatusServer {
  record Status(String projectionPath, boolean halted, String reason) {}

  /** Passwords are compared as they are: a hash for each request, the default, would be all that is measured. */
  @Bean
  PasswordEncoder passwordEncoder() {
    return NoOpPasswordEncoder.getInstance();
  }

  @GetMapping("/api/admin/v1/trading/status")
  Status status() {
    return new Status("", false, null);
  }

  public static void main(String[] arguments) {
    SpringApplication.run(StatusServer.class, arguments);
  }
}
