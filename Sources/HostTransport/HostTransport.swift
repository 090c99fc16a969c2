// HostTransport
