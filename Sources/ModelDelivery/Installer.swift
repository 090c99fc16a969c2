internal import Foundation
internal import ModelCatalog

/// One installation: from the question to the pointer, each step such that a process may end before or after it.
///
///     ask -> lock -> room? -> files, each by its content -> tree beside -> to disk -> rename -> record -> pointer
struct Installer: Sendable {
    let library: ModelLibrary
    let host: ModelHost
    let meter: ProgressMeter

    private var layout: LibraryLayout { library.layout }
    private var seams: DeliverySeams { library.options.seams }
    private var courier: Courier { Courier(host: host, options: library.options) }

    // MARK: Install

    func install() async throws(DeliveryError) -> InstalledModel {
        meter.enter(.preparing)
        let plan = try await Inquiry(courier: courier).plan(installed: library.current(host.model)?.version)
        meter.enter(.preparing, total: plan.offer.size)
        guard let lock = try layout.installLock(of: plan.model) else { throw .busy(model: host.model) }
        defer { lock.release() }
        try seams.reached(.planned)
        let supply = try Supply(
            staging: Staging(layout: layout, model: plan.model, seams: seams),
            release: plan.release,
            layout: layout,
            courier: courier,
            meter: meter
        )
        do throws(DeliveryError) {
            let name = try await place(plan, supply)
            return try await settle(plan, folderName: name)
        } catch {
            throw supply.translated(error, files: plan.files)
        }
    }

    /// Has the release stand in a folder of its own with its record beside it.
    ///
    /// - Returns: the folder's name.
    private func place(_ plan: DeliveryPlan, _ supply: Supply) async throws(DeliveryError) -> String {
        let name = try await folderName(plan)
        let final = layout.tree(of: plan.model, folderName: name)
        if let record = layout.record(of: plan.model, folderName: name), Self.holds(record, plan),
            SystemFiles.isFolder(final)
        {
            // A record says what was installed, not what has become of it.
            try await mend(try await Verifier.damage(of: record, in: final), plan.files, in: final, supply)
            return name
        }
        let models = layout.folder(of: plan.model)
        try SystemFiles.makeFolder(models)
        guard SystemFiles.isFolder(models) else {
            throw SystemFiles.failure("replace", models, SystemFiles.alreadyExists)
        }
        // What stands here without a record: the process ended between the two, or somebody put it there. It is taken
        // where it is the release and nothing else, and left alone where it is not. An empty folder is nobody's.
        let isEmpty = SystemFiles.isFolder(final) && SystemFiles.names(in: final).isEmpty
        if SystemFiles.exists(final), !isEmpty {
            guard SystemFiles.isFolder(final), try await Verifier.damage(of: plan.record, in: final).isEmpty else {
                throw SystemFiles.failure("replace", final, SystemFiles.alreadyExists)
            }
            try write(plan, folderName: name)
            return name
        }
        let staging = supply.staging
        try await offThread { () throws(DeliveryError) in try staging.dismantle(plan.files) }
        try checkRoom(for: plan, supply)
        meter.enter(.downloading)
        try await supply.gather(plan.files)
        meter.enter(.installing)
        try await offThread { (flag: CancelFlag) throws(DeliveryError) in try staging.assemble(plan.files, flag) }
        try seams.reached(.assembled)
        SystemFiles.excludeFromBackup(staging.tree)
        try await offThread { () throws(DeliveryError) in try staging.syncTree(plan.files) }
        try seams.reached(.synced)
        try SystemFiles.syncFolder(layout.root)
        try SystemFiles.rename(staging.tree, final)
        try SystemFiles.syncFolder(layout.folder(of: plan.model))
        try seams.reached(.renamed)
        try write(plan, folderName: name)
        return name
    }

    private func write(_ plan: DeliveryPlan, folderName: String) throws(DeliveryError) {
        try layout.write(plan.record, to: layout.recordPath(of: plan.model, folderName: folderName))
        try seams.reached(.recorded)
    }

    /// Has the pointer lead to the folder, and clears up.
    private func settle(_ plan: DeliveryPlan, folderName: String) async throws(DeliveryError) -> InstalledModel {
        try layout.withPointerLock(of: plan.model) { () throws(DeliveryError) in
            let old = layout.pointer(of: plan.model)
            guard old.current != folderName else { return }
            try layout.setPointer(LibraryPointer(current: folderName, previous: old.current), of: plan.model)
        }
        try seams.reached(.pointed)
        try layout.discardStaging(of: plan.model)
        // What cannot be removed now is removed the next time; the version is installed either way.
        try? await offThread { [layout] () throws(DeliveryError) in try layout.emptyTrash() }
        guard let installed = layout.installed(plan.model, folderName: folderName, current: folderName) else {
            throw .notInstalled(model: host.model, version: plan.version.text)
        }
        return installed
    }

    /// The version's own name; where another choice of assets of the same version has it, as after the withdrawal of
    /// one architecture's variant, the version's name and the content's key.
    private func folderName(_ plan: DeliveryPlan) async throws(DeliveryError) -> String {
        let plain = plan.version.text
        guard let record = layout.record(of: plan.model, folderName: plain), !Self.holds(record, plan) else {
            return plain
        }
        return plan.release.name
    }

    private static func holds(_ record: InstalledRecord, _ plan: DeliveryPlan) -> Bool {
        let files = record.plannedFiles
        return files.count == record.files.count && DeliveryPlan.key(of: files) == plan.key
    }

    // MARK: Room

    private func checkRoom(for plan: DeliveryPlan, _ supply: Supply) throws(DeliveryError) {
        let needed = room(for: plan, supply)
        let available = supply.freeBytes
        guard needed.required <= available else {
            throw .insufficientStorage(required: needed.required, available: available)
        }
    }

    private func room(for plan: DeliveryPlan, _ supply: Supply) -> (transfer: UInt64, required: UInt64) {
        let missing = supply.missingBytes(plan.files)
        switch library.options.spaceCheck {
        case .downloadOnly:
            return (missing, missing)
        case .recommended:
            // What is here takes no more room: it was taken already.
            let here = plan.offer.size - min(plan.offer.size, missing)
            let asked = plan.offer.requiredFreeBytes
            return (missing, max(missing, asked - min(asked, here)))
        }
    }

    func availability() async throws(DeliveryError) -> ModelAvailability {
        let current = library.current(host.model)
        let plan = try await Inquiry(courier: courier).plan(installed: current?.version)
        let supply = try Supply(
            staging: Staging(layout: layout, model: plan.model, seams: seams),
            release: plan.release,
            layout: layout,
            courier: courier,
            meter: meter
        )
        let record = current.flatMap { layout.record(of: plan.model, folderName: $0.folderName) }
        let isInstalled = record.map { Self.holds($0, plan) } ?? false
        let needed = isInstalled ? (transfer: 0, required: 0) : room(for: plan, supply)
        return ModelAvailability(
            offer: plan.offer,
            isInstalled: isInstalled,
            bytesToTransfer: needed.transfer,
            requiredBytes: needed.required,
            availableBytes: supply.freeBytes
        )
    }

    // MARK: Repair

    func repair(_ installed: InstalledModel) async throws(DeliveryError) -> InstalledModel {
        meter.enter(.preparing)
        try host.check()
        let model = try library.checked(installed.model)
        guard host.model == installed.model else {
            throw .invalidRequest("the host is asked for \(host.model), but \(installed.model) is to be repaired")
        }
        guard let record = layout.record(of: model, folderName: installed.folderName) else {
            throw .notInstalled(model: installed.model, version: installed.version)
        }
        guard let lock = try layout.installLock(of: model) else { throw .busy(model: installed.model) }
        defer { lock.release() }
        let tree = layout.tree(of: model, folderName: installed.folderName)
        let damage = try await Verifier.damage(of: record, in: tree)
        let files = record.plannedFiles
        let supply = try Supply(
            staging: Staging(layout: layout, model: model, seams: seams),
            release: ChosenRelease(model: model, version: record.rebuild.version, key: DeliveryPlan.key(of: files)),
            layout: layout,
            courier: courier,
            meter: meter
        )
        do throws(DeliveryError) {
            try await mend(damage, files, in: tree, supply)
            try layout.discardStaging(of: model)
            try layout.emptyTrash()
        } catch {
            throw supply.translated(error, files: files)
        }
        let current = layout.pointer(of: model).current
        guard let repaired = layout.installed(model, folderName: installed.folderName, current: current) else {
            throw .notInstalled(model: installed.model, version: installed.version)
        }
        return repaired
    }

    /// Puts right what is wrong with an installed tree: takes out what should not be there, fetches what is damaged.
    private func mend(
        _ damage: [DamagedFile],
        _ planned: [PlannedFile],
        in tree: String,
        _ supply: Supply
    ) async throws(DeliveryError) {
        guard !damage.isEmpty else { return }
        let paths = Set(damage.filter { $0.fault != .unexpected }.map(\.path))
        let files = planned.filter { paths.contains($0.path.text) }
        meter.enter(.downloading, total: files.reduce(0) { $0 + $1.size })
        let missing = supply.missingBytes(files)
        guard missing <= supply.freeBytes else {
            throw .insufficientStorage(required: missing, available: supply.freeBytes)
        }
        try await supply.gather(files)
        meter.enter(.installing)
        let staging = supply.staging
        try await offThread { (flag: CancelFlag) throws(DeliveryError) in
            for extra in damage where extra.fault == .unexpected {
                try SystemFiles.removeTree("\(tree)/\(extra.path)")
                try SystemFiles.syncFolder("\(tree)/\(extra.path)".parentFolder)
            }
            try staging.replace(files, in: tree, flag)
        }
    }
}
