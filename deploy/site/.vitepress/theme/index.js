import { useData } from "vitepress";
import theme from "vitepress/theme-without-fonts";
import { onMounted, watch } from "vue";
import "./style.css";

export default {
  ...theme,
  setup() {
    const { frontmatter } = useData();
    onMounted(() => watch(frontmatter, markMain, { immediate: true, flush: "post" }));
  },
};

/** The theme's start page lacks the landmark that its other pages have. */
function markMain({ layout }) {
  const content = document.getElementById("VPContent");
  if (layout === "home") content?.setAttribute("role", "main");
  else content?.removeAttribute("role");
}
