import { useData, useRoute } from "vitepress";
import theme from "vitepress/theme-without-fonts";
import { nextTick, onMounted, watch } from "vue";
import "./style.css";

export default {
  ...theme,
  setup() {
    const { frontmatter } = useData();
    const route = useRoute();
    const atFirstAndThen = { immediate: true, flush: "post" };
    onMounted(() => {
      watch(frontmatter, markMain, atFirstAndThen);
      watch(() => route.path, showPlace, atFirstAndThen);
    });
  },
};

/** The theme's start page lacks the landmark that its other pages have. */
function markMain({ layout }) {
  const content = document.getElementById("VPContent");
  if (layout === "home") content?.setAttribute("role", "main");
  else content?.removeAttribute("role");
}

/** The list of pages scrolls to the one that is read, once it is marked. */
async function showPlace() {
  await nextTick();
  document.querySelector(".VPSidebarItem.is-active")?.scrollIntoView({ block: "nearest" });
}
