// ModelStore: the catalog on disk.
//
// Reads the manifests and the records of a store, keeps the snapshot of what is published true to the folders while
// they change, and opens published files beneath the document root. It must not know of HTTP, sockets or event loops:
// what it cannot do is an error value, and who waits for the disk is the caller's choice.
