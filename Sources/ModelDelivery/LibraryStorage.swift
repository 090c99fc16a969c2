internal import Foundation
internal import ModelCatalog

extension LibraryLayout {
    /// What models take on disk. Hard links are counted once in the total, and a version's reclaimable bytes are those
    /// that no name outside of its tree keeps.
    func storage(of models: [ModelName]) -> StorageUse {
        struct Node: Hashable {
            var device: UInt64
            var file: UInt64
        }
        var seen: Set<Node> = []
        var total: UInt64 = 0
        var unfinished: UInt64 = 0
        var entries: [StorageUse.Entry] = []
        for model in models {
            for installed in installedVersions(of: model) {
                let tree = tree(of: model, folderName: installed.folderName)
                var names: [Node: (here: UInt64, links: UInt64, size: UInt64)] = [:]
                for file in record(of: model, folderName: installed.folderName)?.plannedFiles ?? [] {
                    guard let found = SystemFiles.identity(of: "\(tree)/\(file.path)") else { continue }
                    let node = Node(device: found.device, file: found.file)
                    names[node, default: (0, found.links, found.size)].here += 1
                    if seen.insert(node).inserted { total += found.size }
                }
                entries.append(
                    StorageUse.Entry(
                        model: installed.model,
                        version: installed.version,
                        size: installed.size,
                        reclaimable: names.values.reduce(0) { $1.here >= $1.links ? $0 + $1.size : $0 },
                        isCurrent: installed.isCurrent
                    )
                )
            }
            let folder = staging(of: model)
            for name in SystemFiles.names(in: folder) where name != DownloadRecord.fileName {
                guard let found = SystemFiles.identity(of: "\(folder)/\(name)"),
                    seen.insert(Node(device: found.device, file: found.file)).inserted
                else { continue }
                unfinished += found.size
                total += found.size
            }
        }
        return StorageUse(installed: entries, unfinished: unfinished, total: total)
    }
}
