/// The ops page's script, first part: descriptions of nodes, and the patching of what stands on the page by them.
extension OpsPage {
    static let nodesScript = #"""
        "use strict";
        const svgNamespace = "http://www.w3.org/2000/svg";

        const isAbsent = (value) => value === undefined || value === null || value === false;
        const present = (children) => children.flat(Infinity).filter((child) => !isAbsent(child));

        // A node as a value. Text becomes a text node and nothing else: what a device said is never read as markup.
        const h = (tag, attributes, ...children) => {
          return { tag, attributes: attributes || {}, children: present(children) };
        };
        const byId = (id) => document.getElementById(id);

        // What patch has set on each node, so that it takes back no more than that: whether a person has opened a
        // <details>, scrolled or selected is theirs.
        const known = new WeakMap();

        const make = (wanted, parent) => {
          const isDrawn = wanted.tag === "svg" || parent.namespaceURI === svgNamespace;
          const node = isDrawn
            ? document.createElementNS(svgNamespace, wanted.tag) : document.createElement(wanted.tag);
          known.set(node, { key: wanted.attributes.key, names: new Set() });
          return node;
        };

        const setAttributes = (node, attributes) => {
          const state = known.get(node);
          for (const name of state.names) {
            if (isAbsent(attributes[name])) {
              node.removeAttribute(name);
              state.names.delete(name);
            }
          }
          for (const [name, value] of Object.entries(attributes)) {
            if (name === "key" || isAbsent(value)) continue;
            const text = value === true ? "" : String(value);
            if (node.getAttribute(name) !== text) node.setAttribute(name, text);
            state.names.add(name);
          }
        };

        // Makes the children of `parent` what `wanted` describes. Nodes that are there already stay the same nodes, by
        // key or else by place, so that focus, selection and scrolling survive and nothing flickers.
        const patchChildren = (parent, wanted) => {
          const keyed = new Map();
          for (const node of parent.childNodes) {
            const key = known.get(node)?.key;
            if (key !== undefined) keyed.set(key, node);
          }
          let place = parent.firstChild;
          for (const child of wanted) {
            if (typeof child !== "object") {
              const text = String(child);
              if (place && place.nodeType === Node.TEXT_NODE) {
                if (place.nodeValue !== text) place.nodeValue = text;
                place = place.nextSibling;
              } else {
                parent.insertBefore(document.createTextNode(text), place);
              }
              continue;
            }
            const key = child.attributes.key;
            let node = null;
            if (key !== undefined) {
              node = keyed.get(key) ?? null;
              keyed.delete(key);
            } else if (place && known.has(place) && known.get(place).key === undefined) {
              node = place;
            }
            if (node && node.localName !== child.tag) node = null;
            if (!node) {
              node = make(child, parent);
              parent.insertBefore(node, place);
            } else if (node === place) {
              place = place.nextSibling;
            } else {
              parent.insertBefore(node, place);
            }
            setAttributes(node, child.attributes);
            patchChildren(node, child.children);
          }
          while (place) {
            const next = place.nextSibling;
            place.remove();
            place = next;
          }
        };

        const patch = (id, ...wanted) => {
          const parent = byId(id);
          const focused = document.activeElement;
          patchChildren(parent, present(wanted));
          // Moving a node takes the focus off it.
          if (focused !== document.activeElement && focused?.isConnected) focused.focus({ preventScroll: true });
          for (const box of parent.querySelectorAll(".scroll")) {
            // A box that scrolls is reached by keyboard too; one that does not is no stop on the way.
            const scrolls = box.scrollWidth > box.clientWidth + 1 || box.scrollHeight > box.clientHeight + 1;
            if (scrolls !== box.hasAttribute("tabindex")) {
              if (scrolls) box.setAttribute("tabindex", "0"); else box.removeAttribute("tabindex");
            }
          }
        };

        // Numbers and times, in English and UTC whatever the browser's language, as the server's own texts are.
        const integers = new Intl.NumberFormat("en-GB");
        const count = (number) => integers.format(number);
        const counted = (number, one, many) => `${count(number)} ${number === 1 ? one : many || one + "s"}`;
        const bytes = (octets) => {
          if (octets < 1000) return `${octets} B`;
          let value = octets;
          let unit = 0;
          const units = ["B", "kB", "MB", "GB", "TB", "PB", "EB"];
          while (value >= 999.95 && unit < units.length - 1) {
            value /= 1000;
            unit += 1;
          }
          return `${value.toFixed(1)} ${units[unit]}`;
        };
        const percent = (part, whole) => {
          if (!whole) return "–";
          const value = (100 * part) / whole;
          // 99.96 % is not all of them.
          return `${part < whole && value > 99.9 ? "> 99.9" : value.toFixed(value === 100 || value === 0 ? 0 : 1)} %`;
        };
        const months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
        const two = (number) => String(number).padStart(2, "0");
        const dayText = (date) => `${date.getUTCDate()} ${months[date.getUTCMonth()]}`;
        const clockText = (date) => `${two(date.getUTCHours())}:${two(date.getUTCMinutes())}`;
        const momentText = (text) => {
          const date = new Date(text);
          const year = date.getUTCFullYear() === new Date().getUTCFullYear() ? "" : ` ${date.getUTCFullYear()}`;
          return `${dayText(date)}${year} ${clockText(date)} UTC`;
        };
        const spanText = (milliseconds) => {
          const seconds = Math.max(0, Math.round(milliseconds / 1000));
          if (seconds < 100) return `${seconds} s`;
          if (seconds < 6000) return `${Math.round(seconds / 60)} min`;
          if (seconds < 172800) return `${Math.round(seconds / 3600)} h`;
          return `${Math.round(seconds / 86400)} d`;
        };
        const ago = (text, now) => `${spanText(now - Date.parse(text))} ago`;
        """#
}
