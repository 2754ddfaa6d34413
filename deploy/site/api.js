// What a reader chose on the other pages, light or dark, is chosen here, and the other way round.
const theirs = { auto: "os", light: "light", dark: "dark" };
const chosen = theirs[localStorage.getItem("vitepress-theme-appearance")];
if (chosen) {
  localStorage.setItem("tsd-theme", chosen);
  document.documentElement.dataset.theme = chosen;
  const choice = document.getElementById("tsd-theme");
  if (choice) choice.value = chosen;
}
addEventListener("change", ({ target: { id, value } }) => {
  const ours = Object.keys(theirs).find((name) => theirs[name] === value);
  if (id === "tsd-theme") localStorage.setItem("vitepress-theme-appearance", ours);
});
