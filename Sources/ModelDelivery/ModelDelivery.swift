// The room for the device's side: ask a host what to download, fetch it with resume, verify every byte, install it in
// one step, and look after what is installed. What an app imports; it runs on Apple's systems and on Linux alike.
// It must not know the server: of this package it uses ModelCatalog, and HostSystem's SHA-256 where there is no
// CryptoKit. Glibc only inside `#if os(Linux)`. It loads no model: specialization is the app's.
// ModelHost asks, ModelLibrary keeps, ModelInstallation is one piece of work under way.
