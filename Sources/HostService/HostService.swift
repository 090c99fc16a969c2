// HostService
