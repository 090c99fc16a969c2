// HTTPWire: HTTP/1.1 as plain values.
//
// Bytes in, values out: request heads, response heads, ranges, entity tags, preconditions, dates, problem details,
// as RFC 9110, 9112 and 9457 name them. It must not know of sockets, files, clocks or models, and imports nothing.
