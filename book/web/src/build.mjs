/** Builds what the pages load, from these sources into book/web, labs and setup.
 *
 *   npm ci && npm run build      writes the files
 *   npm run check                checks the types and the scenes, and that the committed files are these
 *
 * The same sources give the same bytes on every machine: all versions are locked, and no time,
 * path or name of the machine gets in. */
import { build } from 'esbuild';
import { mkdir, readFile, readdir, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const web = dirname(here);
const project = dirname(dirname(web));
const modules = join(here, 'node_modules');

/** ipywidgets 7's classes: html-manager names them, and no book of ours uses them. */
const withoutOldWidgets = {
  name: 'without-old-widgets',
  setup(build) {
    build.onResolve({ filter: /^@jupyter-widgets\/(base7|controls7)/ }, ({ path }) => ({
      path,
      namespace: 'old-widgets',
    }));
    build.onLoad({ filter: /.*/, namespace: 'old-widgets' }, ({ path }) => ({
      contents: '',
      loader: path.endsWith('.css') ? 'css' : 'js',
    }));
  },
};

/** anywidget comes as an AMD module, `define(names, factory)`: make its factory an export. */
const anywidgetAsModule = {
  name: 'anywidget-as-module',
  setup(build) {
    build.onLoad({ filter: /anywidget\/dist\/index\.js$/ }, async ({ path }) => ({
      contents:
        'export let makeAnywidget; const define = (_, factory) => { makeAnywidget = factory; };\n' +
        (await readFile(path, 'utf8')),
      loader: 'js',
    }));
  },
};

const common = {
  absWorkingDir: here,
  bundle: true,
  minify: true,
  write: false,
  outdir: web,
  target: 'es2022',
  charset: 'utf8',
  legalComments: 'none', // the licences are named in licences.txt, which is built too
  logLevel: 'warning',
  define: { 'process.env.NODE_ENV': '"production"', 'process.env': '{}', global: 'window' },
  plugins: [withoutOldWidgets, anywidgetAsModule],
};

/** Properties of scenes that nothing outside of their bundle names, and nothing as a string. */
const OF_SCENES = [
  ...['accent', 'muted', 'warm', 'wash', 'slot', 'turns', 'columns', 'across', 'radius'],
  ...['option', 'restless', 'simulate', 'sentence', 'advance', 'certain', 'goals'],
  ...['nextAt', 'inService', 'underWay', 'onCores', 'seed', 'settings', 'totals', 'taken', 'returns', 'refusals'],
  ...['state', 'longest', 'served', 'stays', 'misled', 'settled', 'enough', 'answers', 'outside', 'peak'],
];

async function bundles() {
  const page = await build({
    ...common,
    entryPoints: [
      { in: 'page.ts', out: 'page' },
      { in: 'live.ts', out: 'lib/live' },
      { in: 'math.ts', out: 'lib/math' },
    ],
    format: 'iife',
    loader: { '.svg': 'dataurl', '.woff': 'empty', '.woff2': 'empty', '.ttf': 'empty', '.eot': 'empty' },
    metafile: true,
  });
  const scenes = await build({
    ...common,
    entryPoints: [{ in: 'scenes/frame.ts', out: 'lib/scenes' }],
    format: 'iife',
    metafile: true,
    mangleProps: new RegExp(`^(${OF_SCENES.join('|')})$`),
    // Fields without a value are not declared a second time.
    tsconfigRaw: { compilerOptions: { useDefineForClassFields: false } },
  });
  const { outputFiles } = await build({
    ...common,
    entryPoints: ['scenes/catalogue.ts'],
    format: 'esm',
  });
  const source = Buffer.from(outputFiles[0].contents).toString('base64');
  const { CATALOGUE } = await import(`data:text/javascript;base64,${source}`);
  const view = await build({
    ...common,
    entryPoints: ['figure_view.ts', 'core_strip_view.ts'],
    outdir: join(project, 'labs/panel'),
    format: 'esm',
    metafile: true,
  });
  const picture = await build({
    ...common,
    entryPoints: ['picture.ts'], // for `make figures`
    outdir: join(project, 'setup'),
    format: 'iife',
    metafile: true,
  });
  const files = new Map();
  for (const { path, contents } of [page, scenes, view, picture].flatMap((made) => made.outputFiles)) {
    files.set(relative(project, path), Buffer.from(contents));
  }
  files.set('labs/site/roles/scenes.json', Buffer.from(`${JSON.stringify(CATALOGUE, null, 1)}\n`));
  const used = [page, scenes, view, picture].flatMap((made) => Object.keys(made.metafile.inputs));
  return { files, used };
}

/** wall-time.css names these: serif to read, sans for what one handles. */
const TEXT_FONTS = [
  'source-serif-4/files/source-serif-4-latin-wght-normal.woff2',
  'source-serif-4/files/source-serif-4-latin-wght-italic.woff2',
  'source-serif-4/files/source-serif-4-greek-wght-normal.woff2',
  'source-serif-4/files/source-serif-4-greek-wght-italic.woff2',
  'source-sans-3/files/source-sans-3-latin-wght-normal.woff2',
  'source-sans-3/files/source-sans-3-greek-wght-normal.woff2',
];

async function copies() {
  const files = new Map();
  const copy = async (from, to) => files.set(to, await readFile(join(modules, from)));
  await copy('plotly.js-basic-dist-min/plotly-basic.min.js', 'book/web/lib/plotly.js');
  for (const font of TEXT_FONTS) {
    await copy(`@fontsource-variable/${font}`, `book/web/lib/fonts/${font.split('/').at(-1)}`);
  }
  // Browsers that run the rest read woff2: leave the older formats of each letter out.
  const styles = await readFile(join(modules, 'katex/dist/katex.min.css'), 'utf8');
  const slim = styles.replace(/,url\([^)]*\.(?:woff|ttf)\) format\("(?:woff|truetype)"\)/g, '');
  files.set('book/web/lib/math.css', Buffer.from(slim));
  for (const font of await readdir(join(modules, 'katex/dist/fonts'))) {
    if (font.endsWith('.woff2')) await copy(`katex/dist/fonts/${font}`, `book/web/lib/fonts/${font}`);
  }
  return files;
}

/** Name, version and licence of every package of which something is in the files. */
async function licences(used) {
  const names = new Set(['katex', 'plotly.js-basic-dist-min']);
  for (const font of TEXT_FONTS) names.add(`@fontsource-variable/${font.split('/')[0]}`);
  for (const path of used) {
    const name = /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path);
    if (name) names.add(name[1]);
  }
  const lines = ['What the files in this folder are built from. Made by src/build.mjs.', ''];
  for (const name of [...names].sort()) {
    const about = JSON.parse(await readFile(join(modules, name, 'package.json'), 'utf8'));
    lines.push(`${name} ${about.version}: ${about.license}`);
  }
  return Buffer.from(lines.join('\n') + '\n');
}

const { files, used } = await bundles();
for (const [name, contents] of await copies()) files.set(name, contents);
files.set('book/web/lib/licences.txt', await licences(used));

if (process.argv.includes('--check')) {
  const stale = [];
  for (const [name, contents] of files) {
    const committed = await readFile(join(project, name)).catch(() => Buffer.alloc(0));
    if (!contents.equals(committed)) stale.push(name);
  }
  if (stale.length > 0) {
    console.error(`Not what book/web/src builds: ${stale.join(', ')}. Run "npm run build" there.`);
    process.exit(1);
  }
  console.log(`${files.size} committed files are what book/web/src builds.`);
} else {
  for (const [name, contents] of files) {
    await mkdir(dirname(join(project, name)), { recursive: true });
    await writeFile(join(project, name), contents);
    if (!name.includes('/fonts/')) console.log(`${name}: ${contents.length} bytes`);
  }
}
