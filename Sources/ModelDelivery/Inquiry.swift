internal import Foundation
internal import ModelCatalog

/// Asking a host: which files are this device's?
struct Inquiry: Sendable {
    let courier: Courier

    /// A manifest of 10,000 files has about 2 MB; ten times the largest that is thinkable.
    private static let manifestLimit = 64 << 20

    /// - Parameter installed: the version that is current, for the host to say whether there is another.
    func plan(installed: String?) async throws(DeliveryError) -> DeliveryPlan {
        let host = courier.host
        try host.check()
        // Both documents are small; where one is damaged on the way, both are asked for once more.
        do throws(DeliveryError) {
            return try await planOnce(host, installed)
        } catch {
            guard case .integrity = error else { throw error }
            return try await planOnce(host, installed)
        }
    }

    private func planOnce(_ host: ModelHost, _ installed: String?) async throws(DeliveryError) -> DeliveryPlan {
        var query = [URLQueryItem(name: "arch", value: host.device.architecture)]
        func ask(_ name: String, _ value: String?) {
            if let value { query.append(URLQueryItem(name: name, value: value)) }
        }
        ask("os", host.device.osVersion)
        ask("platform", host.device.platform)
        ask("installed", installed)
        ask("device", host.device.identifier)
        ask("fallback", host.fallback.rawValue)
        let release = ["models", host.model, host.version.text]
        let bytes = try await courier.document(
            HostAddress.path(release + ["resolve"]),
            query: query,
            limit: Self.manifestLimit
        )
        guard let resolved = try? JSONDecoder().decode(ResolveDocument.self, from: Data(bytes)),
            resolved.model == host.model, let version = Version(resolved.version)
        else { throw .integrity(file: "resolve") }
        if case .version(let asked) = host.version, asked != version.text { throw .integrity(file: "resolve") }
        let manifest = try await courier.document(
            HostAddress.path(["models", host.model, version.text, "manifest.json"]),
            limit: Self.manifestLimit
        )
        let decoded: Manifest
        do throws(ManifestError) {
            decoded = try Manifest.decode(manifest, model: host.name, version: version)
        } catch {
            guard case .unsupportedSchema = error else { throw .integrity(file: "manifest.json") }
            throw .server(
                ServerFailure(status: 200, code: "unsupported-schema", detail: error.description, isRetryable: false)
            )
        }
        return try DeliveryPlan(resolved, decoded, host: host)
    }
}

extension ModelHost {
    /// What the host offers to this device. Transfers no model.
    ///
    /// - Parameter installed: the version that the device has, as in `1.3.2`.
    /// - Throws: `noVariantForArchitecture`, `requiresNewerOS`, `withdrawn`, `server`, `network`, `integrity`,
    ///   `invalidRequest` or `cancelled`.
    public func resolve(
        installed: String? = nil,
        options: DeliveryOptions = DeliveryOptions()
    ) async throws(DeliveryError) -> ModelOffer {
        try await Inquiry(courier: Courier(host: self, options: options)).plan(installed: installed).offer
    }
}
