// HostTelemetry: what devices asked for, got, missed and reported, in a SQLite file that dashboards read.
//
// Loops hand finished answers and events to recorders; one thread writes them. Nothing here delays or fails a
// download: what cannot be recorded is counted. It must not know of HTTP messages, sockets or configuration files:
// it gets values, and its readers get rows.
