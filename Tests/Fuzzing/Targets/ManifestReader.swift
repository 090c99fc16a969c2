@testable import ModelCatalog

// What is read as a manifest, or as a model's record, is written and read again as the same; what is refused is refused
// with a reason, and nothing stops the program.

private func checkManifest(_ bytes: [UInt8], _ model: ModelName, _ version: Version) {
    let manifest: Manifest
    do throws(ManifestError) {
        manifest = try Manifest.decode(bytes, model: model, version: version)
    } catch {
        hold("a refusal says why", !error.description.isEmpty)
        hold("a refusal is one line", !error.description.utf8.contains { $0 < 0x20 })
        return
    }
    guard let written = try? manifest.encoded() else { return hold("a manifest can be written", false) }
    guard let again = try? Manifest.decode(written, model: model, version: version) else {
        return hold("what was written can be read", false)
    }
    hold("it is the same manifest", again == manifest)
    hold("its bytes are the same", (try? again.encoded()) == written)

    // What everybody who holds a manifest may rely on.
    let companions = manifest.companions.reduce(UInt64(0)) { $0 + $1.size }
    hold("the size is the sum", manifest.size == manifest.assets.reduce(companions) { $0 + $1.size })
    for asset in manifest.assets {
        hold("an asset is found by its name", manifest.asset(named: asset.name.text) == asset)
        hold("and by what it is for", manifest.asset(base: asset.name.base, kind: asset.name.kind) == asset)
        let architecture = asset.architecture.map(manifest.architectures.contains) ?? true
        hold("its architecture is listed", architecture)
        hold("its archive holds it", asset.archive.size > asset.size)
        for file in asset.files { hold("a file is found", asset.file(at: file.path.text) == file) }
    }
}

private func checkRecord(_ bytes: [UInt8], _ model: ModelName) {
    let record: ModelRecord
    do throws(RecordError) {
        record = try ModelRecord.decode(bytes, model: model)
    } catch {
        hold("a refusal says why", !error.description.isEmpty)
        hold("a refusal is one line", !error.description.utf8.contains { $0 < 0x20 })
        return
    }
    guard let written = try? record.encoded(model: model), let again = try? ModelRecord.decode(written, model: model)
    else { return hold("what was read can be written and read", false) }
    hold("it is the same record", again == record)
    hold("its bytes are the same", (try? again.encoded(model: model)) == written)
}

func examine(_ input: [UInt8]) {
    guard let model = ModelName("m"), let version = Version("1") else { return hold("these are names", false) }
    checkManifest(input, model, version)
    checkRecord(input, model)
}
