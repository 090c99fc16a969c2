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
        if let record = layout.record(of: plan.model, folderName: name), Self.holds(record, plan),
            SystemFiles.isFolder(layout.tree(of: plan.model, folderName: name))
        {
            return name
        }
        let final = layout.tree(of: plan.model, folderName: name)
        // A tree without a record: the process ended between the two, or somebody put it there.
        if SystemFiles.isFolder(final) {
            if try await Verifier.damage(of: plan.record, in: final).isEmpty {
                try write(plan, folderName: name)
                return name
            }
            try layout.discard(final)
        }
        let staging = supply.staging
        try await offThread { () throws(DeliveryError) in try staging.dismantle(plan.files) }
        try checkRoom(for: plan, supply)
        meter.enter(.downloading)
        try await supply.gather(plan.files) { DeliveryPlan.address(plan.model, plan.version.text, $0) }
        meter.enter(.installing)
        try await offThread { (flag: CancelFlag) throws(DeliveryError) in try staging.assemble(plan.files, flag) }
        try seams.reached(.assembled)
        SystemFiles.excludeFromBackup(staging.tree)
        try await offThread { () throws(DeliveryError) in try staging.syncTree(plan.files) }
        try seams.reached(.synced)
        try SystemFiles.makeFolder(layout.folder(of: plan.model))
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
        return "\(plain)~\(plan.key)"
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
        let paths = Set(try await Verifier.damage(of: record, in: tree).map(\.path))
        let files = record.plannedFiles.filter { paths.contains($0.path.text) }
        let supply = try Supply(
            staging: Staging(layout: layout, model: model, seams: seams),
            layout: layout,
            courier: courier,
            meter: meter
        )
        do throws(DeliveryError) {
            meter.enter(.downloading, total: files.reduce(0) { $0 + $1.size })
            let missing = supply.missingBytes(files)
            guard missing <= supply.freeBytes else {
                throw .insufficientStorage(required: missing, available: supply.freeBytes)
            }
            try await supply.gather(files) { DeliveryPlan.address(model, record.rebuild.version, $0) }
            meter.enter(.installing)
            let staging = supply.staging
            try await offThread { (flag: CancelFlag) throws(DeliveryError) in
                try staging.replace(files, in: tree, flag)
            }
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
}
