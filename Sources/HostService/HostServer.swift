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

    package var description: String {
        switch self {
        case .store(let error): error.description
        case .ledger(let error): "cannot start the ledger: \(error)"
        case .server(let error): error.description
        }
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
    private let onEvent: @Sendable (String) -> Void

    /// Where it listens, ports as the kernel chose them: the public listeners in the order asked for, then the admin's.
    package let publicAddresses: [ListenAddress]
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
            ledger = try Self.ledger(configuration, onEvent)
        } catch {
            watcher.stop()
            throw .ledger(error)
        }

        var requests = configuration.listeners.map { ListenerRequest($0, handler: Audience.public.handler) }
        if let admin = configuration.admin { requests.append(ListenerRequest(admin, handler: Audience.admin.handler)) }
        let connections = ConnectionGauge()
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
                            connections: { connections.value },
                            metrics: metrics
                        ),
                    ]
                },
                onNotice: { onEvent($0.description) }
            )
        } catch {
            watcher.stop()
            ledger?.stop(within: 0)
            throw .server(error)
        }
        connections.attach(server)
        publicAddresses = Array(server.addresses.prefix(configuration.listeners.count))
        adminAddress = configuration.admin == nil ? nil : server.addresses.last
    }

    /// Files that each loop keeps open, of the descriptors that connections leave.
    private static func cachedFiles(loops: Int) -> Int {
        min(512, ProcessLimits.openFiles() / 8 / max(1, loops))
    }

    /// Opens the store's folders anew and looks at the whole of it (SIGHUP). Returns at once; a folder that cannot be
    /// opened is told to the operator, and the one that was open stays. What was found wrong in the trees of versions is
    /// forgotten, for nothing tells when it was mended: it is told again when it is met again.
    package func reload() {
        do throws(StoreError) {
            try tree.reopen()
        } catch {
            onEvent(error.description)
        }
        findings.dropPublished()
        watcher.reload()
    }

    /// Stops accepting, lets what is being sent finish within the drain time, and returns when all has ended.
    package func stop() {
        server.stop()
        watcher.stop()
        // The loops have handed over what they had.
        ledger?.stop(within: Self.ledgerTime)
    }

    /// Milliseconds in which the ledger writes what waits when the server ends.
    private static let ledgerTime = 5000

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
