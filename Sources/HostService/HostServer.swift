package import HostSystem
package import HostTelemetry
package import HostTransport
internal import ModelCatalog
package import ModelStore
internal import Synchronization

/// Everything that `serve` runs with.
package struct ServeConfiguration: Sendable {
    /// The folder that holds `Public/` and `manifests/`.
    package var root: String
    /// Where devices are served.
    package var listeners: [ListenAddress]
    /// The same over TLS; any only where `tls` says how.
    package var secureListeners: [ListenAddress] = []
    package var tls: TLSSettings?
    /// Where operators are served; nil for nowhere.
    package var admin: ListenAddress?
    /// Event loops.
    package var loops: Int
    package var limits = TransportLimits()
    /// How what devices ask and get is recorded; nil for not at all.
    package var ledger: LedgerSettings?
    /// The program's, for who reads the metrics.
    package var version = "unknown"

    package init(root: String, listeners: [ListenAddress], admin: ListenAddress?, loops: Int) {
        self.root = root
        self.listeners = listeners
        self.admin = admin
        self.loops = loops
    }
}

/// Why the server could not start.
package enum StartError: Error, Sendable, CustomStringConvertible {
    case store(StoreError)
    case server(ServerError)
    case ledger(Errno)
    case tls(TLSError)
    /// The thread that follows changes of certificates.
    case tlsWatch(Errno)

    package var description: String {
        switch self {
        case .store(let error): error.description
        case .ledger(let error): "cannot start the ledger: \(error)"
        case .tls(let error): error.description
        case .tlsWatch(let error): "cannot follow changes of certificates: \(error)"
        case .server(let error): error.description
        }
    }
}

extension StartError {
    /// What the operator has named cannot be used, so starting again does not help.
    package var isUsage: Bool {
        if case .tls = self { return true }
        return false
    }
}

/// A running host: the catalog that is watched, and the listeners that serve it. Its methods may be called from any
/// thread.
package final class HostServer: Sendable {
    private let server: Server
    private let watcher: CatalogWatcher
    private let tree: PublicTree
    private let findings: CatalogFindings
    private let ledger: Ledger?
    /// Nil without TLS.
    private let certificates: CertificateWatcher?
    private let onEvent: @Sendable (String) -> Void

    /// Where it listens, ports as the kernel chose them, in the order asked for: publicly, publicly over TLS, the admin's.
    package let publicAddresses: [ListenAddress]
    package let secureAddresses: [ListenAddress]
    package let adminAddress: ListenAddress?

    /// Loads the catalog, binds and serves; returns once connections are accepted.
    ///
    /// - Parameter onEvent: called from any thread with one line for the operator about something that went wrong
    ///   while serving goes on.
    package init(
        _ configuration: ServeConfiguration,
        onEvent: @escaping @Sendable (String) -> Void
    ) throws(StartError) {
        self.onEvent = onEvent
        let source = try Self.tls(configuration, onEvent)
        let findings = CatalogFindings(onFinding: { onEvent("\($0)") })
        self.findings = findings
        let publisher = CatalogPublisher()
        let locator: Locator
        do throws(StoreError) {
            let store = try StoreFolder(root: configuration.root)
            tree = try PublicTree(root: configuration.root)
            let scanner = CatalogScanner(store: store, findings: findings)
            publisher.publish(try scanner.scan())
            locator = Locator(
                manifests: ManifestCache(store: store, findings: findings),
                opener: FileOpener(tree: tree, findings: findings)
            )
            watcher = try CatalogWatcher(store: store, scanner: scanner, publisher: publisher, findings: findings)
        } catch {
            throw .store(error)
        }

        do throws(Errno) {
            certificates = try source.map { (source) throws(Errno) in
                try CertificateWatcher(source, onEvent: onEvent)
            }
        } catch {
            watcher.stop()
            throw .tlsWatch(error)
        }
        do throws(Errno) {
            ledger = try Self.ledger(configuration, onEvent)
        } catch {
            watcher.stop()
            certificates?.stop()
            throw .ledger(error)
        }

        var requests = configuration.listeners.map { ListenerRequest($0, handler: Audience.public.handler) }
        requests += configuration.secureListeners.map {
            ListenerRequest($0, handler: Audience.public.handler, tls: source)
        }
        if let admin = configuration.admin { requests.append(ListenerRequest(admin, handler: Audience.admin.handler)) }
        let connections = ConnectionGauge()
        let ops = OpsRoutes(
            version: configuration.version,
            publisher: publisher,
            manifests: locator.manifests,
            findings: findings,
            ledger: ledger,
            connections: { connections.value }
        )
        let metrics = Metrics(
            version: configuration.version,
            publisher: publisher,
            findings: findings,
            ledger: ledger,
            connections: connections
        )
        let openFiles = Self.cachedFiles(loops: configuration.loops)
        let gate = ReportGate(counters: metrics.reports)
        do throws(ServerError) {
            server = try Server(
                listeners: requests,
                limits: configuration.limits,
                loops: configuration.loops,
                makeHandlers: { [ledger] context in
                    [
                        PublicHandler(
                            clock: context.clock,
                            locator: locator,
                            publisher: publisher,
                            openFiles: openFiles,
                            ledger: ledger.map { LoopLedger(clock: context.clock, recorder: $0.makeRecorder()) },
                            gate: gate,
                            counters: metrics.makeCounters(for: .public),
                            misses: metrics.misses
                        ),
                        AdminHandler(
                            clock: context.clock,
                            address: configuration.admin,
                            publisher: publisher,
                            findings: findings,
                            ledger: ledger,
                            ops: ops,
                            connections: { connections.value },
                            metrics: metrics
                        ),
                    ]
                },
                onNotice: { onEvent($0.description) }
            )
        } catch {
            watcher.stop()
            certificates?.stop()
            ledger?.stop(within: 0)
            throw .server(error)
        }
        connections.attach(server)
        let count = configuration.listeners.count
        publicAddresses = Array(server.addresses.prefix(count))
        secureAddresses = Array(server.addresses.dropFirst(count).prefix(configuration.secureListeners.count))
        adminAddress = configuration.admin == nil ? nil : server.addresses.last
    }

    /// Files that each loop keeps open, of the descriptors that connections leave.
    private static func cachedFiles(loops: Int) -> Int {
        min(512, ProcessLimits.openFiles() / 8 / max(1, loops))
    }

    /// Opens the store's folders anew and looks at the whole of it (SIGHUP). Returns at once; a folder that cannot be
    /// opened is told to the operator, and the one that was open stays. What was found wrong in the trees of versions is
    /// forgotten, for nothing tells when it was mended: it is told again when it is met again. Certificates and keys are
    /// read anew.
    package func reload() {
        do throws(StoreError) {
            try tree.reopen()
        } catch {
            onEvent(error.description)
        }
        findings.dropPublished()
        watcher.reload()
        certificates?.reload()
    }

    /// Stops accepting, lets what is being sent finish within the drain time, and returns when all has ended.
    package func stop() {
        server.stop()
        watcher.stop()
        certificates?.stop()
        // The loops have handed over what they had.
        ledger?.stop(within: Self.ledgerTime)
    }

    /// Milliseconds in which the ledger writes what waits when the server ends.
    private static let ledgerTime = 5000

    /// Reads certificates and keys; nil without TLS.
    private static func tls(
        _ configuration: ServeConfiguration,
        _ onEvent: @escaping @Sendable (String) -> Void
    ) throws(StartError) -> TLSSource? {
        guard let settings = configuration.tls else { return nil }
        do throws(TLSError) {
            let source = try TLSSource(settings)
            for notice in source.notices { onEvent(notice) }
            return source
        } catch {
            throw .tls(error)
        }
    }

    private static func ledger(
        _ configuration: ServeConfiguration,
        _ onEvent: @escaping @Sendable (String) -> Void
    ) throws(Errno) -> Ledger? {
        guard var settings = configuration.ledger else { return nil }
        settings.onEvent = onEvent
        return try Ledger(settings)
    }
}

/// The counts of connections, for handlers that are made before the server that counts them is.
final class ConnectionGauge: Sendable {
    private let server = Mutex<Server?>(nil)

    var value: Int { server.withLock { $0?.openConnections ?? 0 } }

    func figures(of audience: Audience) -> ConnectionFigures {
        server.withLock { $0?.figures(ofHandler: audience.handler) } ?? ConnectionFigures()
    }

    func attach(_ server: Server) {
        self.server.withLock { $0 = server }
    }
}
