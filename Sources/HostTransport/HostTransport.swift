// HostTransport: HTTP/1.1 connections on POSIX sockets.
//
// Listeners, one event loop per core, connections and their deadlines; requests are read and handed to a handler, and
// the answer's octets and file ranges are written out. It must not know what a model is, nor what any path means:
// that is the handler's business, which it reaches only through `RequestHandler`.
