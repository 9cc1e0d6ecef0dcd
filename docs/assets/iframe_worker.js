// A Worker for pages that are opened from files, where browsers refuse the real one: a hidden frame that runs the same
// script. The search asks for nothing more than messages, errors and importScripts.
(() => {
  if (location.protocol !== "file:") return;

  const inFrame = () => {
    window.postMessage = window.parent.postMessage.bind(window.parent);
    window.importScripts = (...urls) =>
      urls.reduce((earlier, url) => earlier.then(() => new Promise((loaded, failed) => {
        const script = document.createElement("script");
        script.src = url;
        script.onload = loaded;
        script.onerror = failed;
        document.body.appendChild(script);
      })), Promise.resolve());
  };

  window.Worker = class extends EventTarget {
    constructor(url) {
      super();
      this.onmessage = null;
      this.onerror = null;
      this.frame = document.createElement("iframe");
      this.frame.hidden = true;
      document.body.appendChild(this.frame);
      const inside = this.frame.contentWindow;
      this.hear = (event) => {
        if (event.source !== inside) return;
        const message = new MessageEvent("message", { data: event.data });
        this.dispatchEvent(message);
        if (this.onmessage) this.onmessage(message);
      };
      window.addEventListener("message", this.hear);
      inside.document.open();
      inside.document.write(
        `<!doctype html><body><script>(${inFrame})()</script><script src="${url}"></script></body>`);
      inside.document.close();
      this.ready = new Promise((done) => { inside.onload = done; });
    }

    postMessage(data) {
      this.ready.then(() => this.frame.contentWindow.dispatchEvent(new MessageEvent("message", { data })));
    }

    terminate() {
      window.removeEventListener("message", this.hear);
      this.frame.remove();
    }
  };
})();
