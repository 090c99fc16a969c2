// HostService: what the server does.
//
// A request's path is looked up in the catalog's snapshot, what it names is located (a file, a document, a problem,
// a redirect) and rendered as RFC 9110 wants it. It must not make a system call, touch a socket or know how a store
// is laid out on disk: ModelStore and HostTransport do that.
