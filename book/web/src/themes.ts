/** Tells when the theme changes: the book says it on <html>, JupyterLab and VS Code on <body>. */
export function onTheme(changed: () => void): MutationObserver {
  const observer = new MutationObserver(changed);
  const attributeFilter = ['data-theme', 'data-jp-theme-name', 'data-vscode-theme-kind'];
  for (const node of [document.documentElement, document.body]) {
    if (node) observer.observe(node, { attributeFilter });
  }
  return observer;
}
