// A page of the built book as a chapter of the PDF or the EPUB: its article, as well-formed XHTML.
// setup/paper.py runs it in the page, which shows itself as it prints. Ids get the page's own
// prefix, and links lead from chapter to chapter: #one-core, or #one-core--littles-law.
([slug, slugs, width, drawn]) => {
  dispatchEvent(new Event('beforeprint')); // book/web/src/paper.ts
  const article = document.querySelector('article.bd-article');
  const missing = [...article.querySelectorAll('.wt-plot')].length; // drawn by a script only
  const all = (selector) => [...article.querySelectorAll(selector)];
  const rename = (node, tag) => {
    const made = document.createElement(tag);
    for (const { name, value } of node.attributes) {
      if (!['open', 'name'].includes(name)) made.setAttribute(name, value);
    }
    made.append(...node.childNodes);
    node.replaceWith(made);
    return made;
  };
  // KaTeX writes some spaces as bare text, which MathML has only within its words.
  const wrapSpaces = (node) => {
    for (const text of [...node.childNodes].filter((child) => child.nodeType === Node.TEXT_NODE)) {
      const made = document.createElementNS(node.namespaceURI, 'mtext');
      text.replaceWith(made);
      made.append(text);
    }
  };

  all('.wt-picture > svg').forEach((node) => {
    if (node.classList.contains(width)) node.removeAttribute('class');
    else node.remove();
  });
  const hidden = (node) =>
    !node.parentElement.closest('svg, .katex') && getComputedStyle(node).display === 'none';
  const gone = [...all('*')].filter(hidden); // all are looked at before one goes: tables count columns
  gone.forEach((node) => node.remove());
  all('script, style, template, input, button, link').forEach((node) => node.remove());
  all('details').forEach((node) => rename(node, 'div').classList.add('wt-unfolded'));
  all('summary').forEach((node) => rename(node, 'div').classList.add('wt-summary'));
  all('wt-scene').forEach((node) => {
    for (const { name } of [...node.attributes]) node.removeAttribute(name);
    rename(node, 'div').classList.add('wt-scene');
  });
  if (!drawn) {
    all('.katex').forEach((node) => node.replaceWith(node.querySelector('math')));
    all('math, math :not(mi, mn, mo, ms, mtext, annotation)').forEach(wrapSpaces);
  }

  const prefixed = (id) => `${slug}--${id}`;
  const ids = new Set(all('[id]').map((node) => node.id));
  for (const node of all('[id]')) node.id = prefixed(node.id);
  for (const name of ['aria-labelledby', 'aria-describedby', 'headers']) {
    for (const node of all(`[${name}]`)) {
      node.setAttribute(name, node.getAttribute(name).split(/\s+/).map(prefixed).join(' '));
    }
  }
  const colours = getComputedStyle(article);
  for (const node of all('svg, svg *')) {
    for (const { name, value } of [...node.attributes]) {
      if (name.startsWith('data-')) node.removeAttribute(name);
      // Not every reader of an EPUB knows variables.
      else if (value.startsWith('var(')) node.setAttribute(name, colours.getPropertyValue(value.slice(4, -1)));
      else if (/url\("?#/.test(value)) {
        node.setAttribute(name, value.replace(/url\("?#([^")]+)"?\)/g, (_, id) => `url(#${prefixed(id)})`));
      } else if (/^(xlink:)?href$/.test(name) && value.startsWith('#')) {
        node.setAttribute(name, `#${prefixed(value.slice(1))}`);
      }
    }
  }
  // A drawing that leads through the pages on a screen is a picture on paper.
  all('svg a').forEach((link) => link.replaceWith(...link.childNodes));
  all('svg[role=group]').forEach((node) => node.setAttribute('role', 'img'));
  for (const link of all('a[href]')) {
    const target = new URL(link.href);
    const here = target.pathname === location.pathname;
    const page = here ? slug : slugs[target.pathname];
    const id = decodeURIComponent(target.hash.slice(1));
    if (['http:', 'https:', 'mailto:'].includes(target.protocol)) continue;
    if (!page || (here && id && !ids.has(id))) link.replaceWith(...link.childNodes);
    else link.setAttribute('href', id ? `#${page}--${id}` : `#${page}`);
  }
  return {
    title: article.querySelector('h1').textContent.trim(),
    body: [...article.childNodes].map((node) => new XMLSerializer().serializeToString(node)).join(''),
    missing,
  };
}
