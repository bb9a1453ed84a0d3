/** The widgets of one kernel: ipywidgets, output widgets and anywidget, on this page. */
import * as base from '@jupyter-widgets/base';
import * as controls from '@jupyter-widgets/controls';
import { HTMLManager } from '@jupyter-widgets/html-manager/lib/htmlmanager';
import * as output from '@jupyter-widgets/html-manager/lib/output';
import type { Kernel, KernelMessage } from '@jupyterlab/services';
import type { CommHandler } from '@jupyterlab/services/lib/kernel/comm';
import { Widget } from '@lumino/widgets';
import { makeAnywidget } from 'anywidget';
import { onDrop } from './dropped';
import { draw, type Figure } from './plot';

const OUTPUT_MESSAGES = ['execute_result', 'display_data', 'stream', 'error'];
const PLOTLY_MIME = 'application/vnd.plotly.v1+json';

const anywidget = makeAnywidget(base);

type Sent = ReturnType<base.WidgetModel['get_state']>;

interface Holding {
  _msg_buffer: Sent | null;
  _msg_buffer_callbacks: object | undefined;
  _pending_msgs: number;
}

// What was sent of a widget's state, until Python is done with it.
const unheard = new Map<base.WidgetModel, Sent>();
const changed = new Set<base.WidgetModel>(); // by the reader, until then
const presses: (() => void)[] = []; // that wait for it

/** What is dropped on a lab that takes files is chosen in it. */
function chooseDropped(): void {
  const fields = new WeakMap<Element, HTMLInputElement>();
  const { render } = controls.FileUploadView.prototype;
  controls.FileUploadView.prototype.render = function () {
    render.call(this);
    fields.set(this.el, this.fileInput);
  };
  onDrop((over) => {
    const button = over.closest('.wt-panel')?.querySelector('.widget-upload:enabled');
    const field = button && fields.get(button);
    if (!field) return undefined;
    return (files) => {
      field.files = files;
      field.dispatchEvent(new Event('change'));
    };
  });
}

/** A widget's state waits while Python is busy with the state sent before, and the library lets a
 * press on Enter or on a button overtake it: what was typed in haste would be judged half. So
 * whatever waits goes first, and the press when Python is done with it. */
function inOrder(): void {
  const { send, send_sync_message, _handle_status } = base.WidgetModel.prototype;
  const pressed = () => {
    if ([...changed].some((model) => model.comm && unheard.has(model))) return;
    for (const press of presses.splice(0)) press();
  };
  base.WidgetModel.prototype.send_sync_message = function (state: Sent, callbacks) {
    unheard.set(this, { ...unheard.get(this), ...state });
    return send_sync_message.call(this, state, callbacks);
  };
  base.WidgetModel.prototype._handle_status = function (message) {
    _handle_status.call(this, message);
    if ((this as unknown as Holding)._pending_msgs >= 1) return;
    unheard.delete(this);
    if (changed.delete(this)) pressed();
  };
  const { sync } = base.WidgetModel.prototype;
  base.WidgetModel.prototype.sync = function (...change) {
    changed.add(this);
    return sync.apply(this, change);
  };
  base.WidgetModel.prototype.send = function (...message) {
    for (const model of changed) {
      if ((model as unknown as Holding)._msg_buffer !== null) sendHeld(model);
    }
    presses.push(() => send.apply(this, message));
    pressed();
  };
}

/** Sends what waits, after what was said before it if that may be lost. */
function sendHeld(model: base.WidgetModel, before: Sent = {}): void {
  const held = model as unknown as Holding;
  const state = { ...before, ...held._msg_buffer };
  const id = model.send_sync_message(state, held._msg_buffer_callbacks ?? model.callbacks());
  model.rememberLastUpdateFor(id);
  held._msg_buffer = null;
  held._msg_buffer_callbacks = undefined;
}
// Of a widget that lost a part as a connection was cut, the library shows that it is broken, by a
// model that it gives no options (base 6.0.12), and then fails for want of them.
const { initialize } = base.WidgetModel.prototype;
base.WidgetModel.prototype.initialize = function (attributes, options = {} as typeof options) {
  initialize.call(this, attributes, options);
};
inOrder();
chooseDropped();

/** `with out:` in Python sends what follows here, instead of to the cell. */
class OutputModel extends output.OutputModel {
  #unhook: (() => void) | undefined;

  override initialize(attributes: never, options: never): void {
    super.initialize(attributes, options);
    this.listenTo(this, 'change:msg_id', () => this.#hook());
    this.#hook();
  }

  #hook(): void {
    this.#unhook?.();
    this.#unhook = undefined;
    const kernel = (this.widget_manager as unknown as WidgetManager).kernel;
    const parent = this.get('msg_id') as string;
    if (!parent) return;
    const take = (message: KernelMessage.IIOPubMessage) => {
      this.#take(message);
      return false;
    };
    kernel.registerMessageHook(parent, take);
    this.#unhook = () => kernel.removeMessageHook(parent, take);
  }

  #take(message: KernelMessage.IIOPubMessage): void {
    const type = message.header.msg_type;
    if (OUTPUT_MESSAGES.includes(type)) {
      this.outputs.add({ ...message.content, output_type: type } as never);
      this.set('outputs', this.outputs.toJSON(), { newMessage: true });
      this.save_changes();
    } else if (type === 'clear_output') {
      this.clear_output((message.content as { wait?: boolean }).wait);
    }
  }
}

/** The library's radio buttons know nothing of each other: Tab would stop at each, no arrow would
 * lead to the next, and nobody who listens would hear what they are asked. */
class RadioGroupView extends controls.RadioButtonsView {
  override update(options?: object): void {
    super.update(options);
    this.container.setAttribute('role', 'radiogroup');
    this.container.setAttribute('aria-label', this.model.get('description') as string);
    for (const radio of this.container.querySelectorAll('input')) radio.name = this.cid;
  }
}

/** Where ipywidgets' classes are. The library looks for each anew, and at the page's style meanwhile,
 * which a browser then works out two hundred times while a panel is made. */
const HOMES: Record<string, Record<string, unknown>> = {
  '@jupyter-widgets/base': { ...base },
  '@jupyter-widgets/controls': { ...controls, RadioButtonsView: RadioGroupView },
  '@jupyter-widgets/output': { ...output, OutputModel },
  anywidget: { ...anywidget },
};

/** A plotly figure that code displays by itself, without a FigureView. */
class PlotlyOutput extends Widget {
  async renderModel(model: { data: Record<string, unknown> }): Promise<void> {
    this.addClass('wt-plot');
    await draw(await window.wallTime.plotly(), this.node, model.data[PLOTLY_MIME] as Figure);
  }
}

/** anywidget says that a view is made before its module has put anything there. */
function filled({ el, model }: base.WidgetView): Promise<void> {
  return new Promise((resolve) => {
    if (model.get('_view_module') !== 'anywidget' || el.hasChildNodes()) return resolve();
    const observer = new MutationObserver(() => {
      observer.disconnect();
      resolve();
    });
    observer.observe(el, { childList: true });
  });
}

export class WidgetManager extends HTMLManager {
  /** Until then Python may hear a later word before an earlier one: the library sends what widgets
   * say to a thread of their own as soon as there is one, and to the cells' thread before that. */
  readonly inOrder: Promise<void>;
  #cut = (): void => {};
  readonly #models = new Set<base.WidgetModel>();
  readonly #making = new Set<Promise<unknown>>(); // views

  constructor(readonly kernel: Kernel.IKernelConnection) {
    super();
    for (const left of [unheard, changed]) left.clear(); // by a kernel that is gone
    presses.length = 0;
    // Never opened: it asks for the thread, and keeps it while other widgets come and go.
    const first = kernel.createComm(this.comm_target_name) as CommHandler;
    const started = kernel.info.then(() =>
      kernel.supportsSubshells ? first.subshellStarted : undefined,
    );
    const cut = new Promise<void>((resolve) => (this.#cut = resolve)); // with it, the answer
    this.inOrder = Promise.race([started, cut]).catch(() => undefined);
    this.renderMime.addFactory(
      { safe: true, mimeTypes: [PLOTLY_MIME], createRenderer: () => new PlotlyOutput() },
      0,
    );
    kernel.registerCommTarget(this.comm_target_name, async (comm, message) => {
      await this.handle_comm_open(new base.shims.services.Comm(comm), message as never);
    });
  }

  /** After a connection that was cut: nobody knows whether Python heard the last of what was set, and
   * it takes nothing amiss that it hears twice; nor whether this page heard the last of what Python said.
   * Each widget answers on the way that it is asked, so after what was said to it again. */
  recover(): void {
    this.#cut();
    for (const [model, state] of unheard) {
      if (model.widget_manager !== (this as unknown)) continue;
      (model as unknown as Holding)._pending_msgs = 0; // no answer to those will come
      sendHeld(model, state);
    }
    for (const model of this.#models) model.comm?.send({ method: 'request_state' });
  }

  override create_view(...about: Parameters<HTMLManager['create_view']>): ReturnType<HTMLManager['create_view']> {
    const view = super.create_view(...about);
    const making = view.then((made) => filled(made));
    this.#making.add(making);
    const made = () => this.#making.delete(making);
    making.then(made, made);
    return view;
  }

  /** Until no view is being made: those within one are begun when it is there. */
  async settled(): Promise<void> {
    while (this.#making.size > 0) {
      await Promise.allSettled(this.#making);
      await new Promise((resolve) => setTimeout(resolve));
    }
  }

  override register_model(id: string, made: Promise<base.WidgetModel>): void {
    super.register_model(id, made);
    void made.then((model) => {
      this.#models.add(model);
      model.once('comm:close', () => this.#models.delete(model));
    }, () => undefined);
  }

  protected override async loadClass(
    className: string,
    moduleName: string,
    moduleVersion: string,
  ): Promise<never> {
    const found = HOMES[moduleName]?.[className];
    return (found ?? super.loadClass(className, moduleName, moduleVersion)) as never;
  }

  override async _create_comm(...about: Parameters<HTMLManager['_create_comm']>): Promise<base.shims.services.Comm> {
    const [target, id, data, metadata, buffers] = about;
    const comm = this.kernel.createComm(target, id);
    if (data || metadata) comm.open(data, metadata, buffers);
    return new base.shims.services.Comm(comm);
  }

  override async _get_comm_info(): Promise<Record<string, never>> {
    const reply = await this.kernel.requestCommInfo({ target_name: this.comm_target_name });
    return (reply.content.status === 'ok' ? reply.content.comms : {}) as Record<string, never>;
  }
}
