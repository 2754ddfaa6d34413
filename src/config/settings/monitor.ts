import { asciiLowerCase } from "../../core/values/basics.ts";
import { duration } from "../quantities.ts";
import { optional, setting } from "../setting.ts";
import { choice, flag, hostName, networks, origin, path, type ValueType, word } from "../values.ts";

/** Names of colours (CSS Color Module Level 4, "Named Colors"). */
const COLOUR_NAMES = `aliceblue antiquewhite aqua aquamarine azure beige bisque black blanchedalmond blue blueviolet brown burlywood cadetblue chartreuse
  chocolate coral cornflowerblue cornsilk crimson cyan darkblue darkcyan darkgoldenrod darkgray darkgreen darkgrey darkkhaki darkmagenta
  darkolivegreen darkorange darkorchid darkred darksalmon darkseagreen darkslateblue darkslategray darkslategrey darkturquoise darkviolet
  deeppink deepskyblue dimgray dimgrey dodgerblue firebrick floralwhite forestgreen fuchsia gainsboro ghostwhite gold goldenrod gray green
  greenyellow grey honeydew hotpink indianred indigo ivory khaki lavender lavenderblush lawngreen lemonchiffon lightblue lightcoral
  lightcyan lightgoldenrodyellow lightgray lightgreen lightgrey lightpink lightsalmon lightseagreen lightskyblue lightslategray
  lightslategrey lightsteelblue lightyellow lime limegreen linen magenta maroon mediumaquamarine mediumblue mediumorchid mediumpurple
  mediumseagreen mediumslateblue mediumspringgreen mediumturquoise mediumvioletred midnightblue mintcream mistyrose moccasin navajowhite
  navy oldlace olive olivedrab orange orangered orchid palegoldenrod palegreen paleturquoise palevioletred papayawhip peachpuff peru pink
  plum powderblue purple rebeccapurple red rosybrown royalblue saddlebrown salmon sandybrown seagreen seashell sienna silver skyblue
  slateblue slategray slategrey snow springgreen steelblue tan teal thistle tomato turquoise violet wheat white whitesmoke yellow
  yellowgreen`;

const COLOUR = new RegExp(`^(?:#[0-9a-f]{6}|${COLOUR_NAMES.split(/\s+/).join("|")})$`, "i");

/** A colour of CSS, by its name or its digits, in lower case. */
function colour(): ValueType<string> {
  const type = word("a CSS colour name or #rrggbb", COLOUR);
  return { ...type, schema: type.schema.transform(asciiLowerCase) };
}

/** The monitor backend, with which the gateway shares host and port, and the proxies in front of both. */
export const monitorSettings = {
  "gateway.monitor.url": optional(
    origin("http", "https"),
    "Where the monitor backend is. Everything outside the gateway's own paths goes there; without it those paths are 404.",
  ),
  "gateway.monitor.tls.ca": optional(
    path(),
    "PEM file of the certificate authorities trusted for an `https` monitor backend; those known to Node.js unless it is set.",
  ),
  "gateway.monitor.connect-timeout": setting(
    duration("1ms", "10m"),
    "5s",
    "How long connecting to the monitor backend may take; then 504.",
  ),
  "gateway.monitor.response-timeout": setting(
    duration("1ms", "1h"),
    "60s",
    "How long the monitor backend may be silent before it begins to respond; then 504. A response that has begun may pause for " +
      "`server.stall-timeout`.",
  ),
  "gateway.pages.host": optional(
    hostName(),
    "Host name of the gateway's own at which browsers find the console and the interactive page, and nothing of the monitor backend: a " +
      "separate origin (`docs/deploy/proxies.md`). Under other names their paths lead there.",
  ),
  "gateway.console.enabled": optional(
    flag(),
    "Whether the gateway serves a console for operators at `/console` (`docs/operate/console.md`). If it is not set: where no monitor backend stands " +
      "behind the gateway.",
  ),
  "gateway.console.name": optional(
    word("text of up to 40 characters", /^[^\p{C}]{1,40}$/u),
    "Name of the installation in header and title of console and interactive page, such as `LONDON PROD`, to tell several installations apart.",
  ),
  "gateway.console.colour": optional(
    colour(),
    "Colour of the installation in header and icon of console and interactive page, such as `crimson` or `#b3261e`. Write one with `#` in quotes.",
  ),
  "server.trusted-proxies": setting(
    networks(),
    "",
    "Proxies in front of the gateway that are trusted to name the caller's address: addresses and networks (`10.0.0.0/8`).",
  ),
  "server.forwarded-header": setting(
    choice("X-Forwarded-For", "Forwarded"),
    "X-Forwarded-For",
    "The header in which these proxies pass the caller's address; the other one is never trusted. The monitor backend is " +
      "sent the same header.",
  ),
};
