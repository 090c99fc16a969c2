// HostSystem
