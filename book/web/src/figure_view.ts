/** The view of `labs.panel.figure_view.FigureView`: one figure that follows its model.
 *
 * A page of the book brings plotly. Elsewhere (JupyterLab, VS Code) the first view asks the
 * kernel for it, once, over its own comm; the answer is a gzipped buffer, so no address is
 * ever asked. */
import type { RenderProps } from '@anywidget/types';
import { make } from './make';
import { draw, forget, type Figure, type Plotly } from './plot';

type Props = RenderProps<{ figure: Figure; alt: string }>;

const shared = globalThis as {
  wallTime?: { plotly(): Promise<Plotly> };
  wallTimePlotly?: Promise<Plotly>;
};
const PATIENCE_MS = 20_000; // a kernel that runs a long cell answers when that is done

function plotlyFor(model: Props['model']): Promise<Plotly> {
  if (shared.wallTime) return shared.wallTime.plotly();
  shared.wallTimePlotly ??= askKernel(model).catch((reason: unknown) => {
    delete shared.wallTimePlotly; // the next view asks again
    throw reason;
  });
  return shared.wallTimePlotly;
}

async function askKernel(model: Props['model']): Promise<Plotly> {
  const buffer = await new Promise<DataView>((resolve, reject) => {
    const heard = (content: { kind?: string }, buffers: DataView[]) => {
      if (content.kind !== 'plotly') return;
      model.off('msg:custom', heard);
      resolve(buffers[0]!);
    };
    model.on('msg:custom', heard);
    model.send({ kind: 'plotly' });
    setTimeout(() => reject(new Error('The kernel did not send plotly.')), PATIENCE_MS);
  });
  const bytes = new Blob([buffer as unknown as ArrayBuffer]).stream();
  const text = await new Response(bytes.pipeThrough(new DecompressionStream('gzip'))).text();
  const module = { exports: {} };
  new Function('module', 'exports', 'define', text)(module, module.exports, undefined);
  return module.exports as Plotly;
}

async function render({ model, el }: Props): Promise<() => void> {
  const plot = make('div', { class: 'wt-plot' });
  const figure = make('figure', { class: 'wt-view' }, plot);
  el.append(figure);

  const tell = () => figure.setAttribute('aria-label', model.get('alt'));
  tell();
  model.on('change:alt', tell);

  let plotly: Plotly | undefined;
  let asked = false; // for plotly, or a frame
  const redraw = () => {
    // Figures may come faster than the screen shows them: draw the latest, once a frame.
    if (asked) return;
    if (!plotly) return void begin();
    asked = true;
    requestAnimationFrame(() => {
      asked = false;
      if (plot.isConnected) void draw(plotly!, plot, model.get('figure'));
    });
  };
  /** Most panels begin without a figure, and nobody waits for plotly until there is one. */
  const begin = async () => {
    if (model.get('figure').data.length === 0) {
      plot.dataset.drawn = '0';
      return;
    }
    delete plot.dataset.drawn;
    asked = true;
    try {
      plotly = await plotlyFor(model);
      const first = model.get('figure');
      await draw(plotly, plot, first);
      asked = false;
      if (model.get('figure') !== first) redraw(); // meanwhile
    } catch (reason) {
      model.off('change:figure', redraw);
      plot.textContent = `The figure cannot be drawn: ${(reason as Error).message} Run the cell again.`;
      plot.dataset.drawn = 'failed';
    }
  };
  model.on('change:figure', redraw);
  await begin();
  return () => {
    model.off('change:figure', redraw);
    model.off('change:alt', tell);
    forget(plot);
  };
}

export default { render };
