internal import HostService
internal import HostSystem
internal import HostTelemetry
internal import HostTransport

/// `serve`: runs the server until it is told to stop.
enum ServeCommand: Command {
    static let name = "serve"

    static let help = """
        Usage: aimodel-host serve [options]

        Serves the models published below a folder, until SIGTERM or SIGINT.

        Options:
          --root DIR            the folder that holds Public/ and manifests/ (default: the working directory)
          --listen ADDRESS      where devices are served, may stand more than once (default: 127.0.0.1:8080):
                                127.0.0.1:8080, [::1]:8080, *:80, unix:/run/aimodel-host.sock; port 0 picks one;
                                a unix socket is open to every local user (mode 0666) who may enter its folder
          --admin ADDRESS       where operators are served: /healthz, /readyz, /metrics
                                (default: 127.0.0.1:8081; none: nowhere)
          --database FILE       the SQLite ledger of what devices ask and get (default: var/telemetry.sqlite below the
                                root; none: nothing is recorded)
          --retention TIME      how long its rows are kept; daily sums stay (default: 90d)
          --database-max-size SIZE
                                the oldest downloads go when the file would be greater, at least 1MiB (default: 4GiB)
          --threads N           event loops, 1 to 256 (default: one per processor)
          --drain-timeout TIME  how long answers under way may take after a stop (default: 30s)

        Deadlines: 10 s for a request's head, 60 s between two requests, 60 s in which a client takes nothing of an
        answer. There is none for a whole download.

        Once a listener accepts, a line `listening <url> (public or admin)` stands on standard output.
        SIGTERM, SIGINT: stop accepting, finish what is being sent, exit 0. A second one ends at once.
        SIGHUP: look at the whole store anew. Changes of manifests/ are seen without it.

        """

    static func run(_ arguments: [String]) throws {
        let options: Set = [
            "root", "listen", "admin", "threads", "drain-timeout", "database", "retention", "database-max-size",
        ]
        let arguments = try Arguments(arguments, options: options)
        let configuration = try configuration(arguments)
        _ = ProcessLimits.raiseOpenFiles()
        ControlSignal.takeOver()
        let log = try NoticeLog()
        let host = try HostServer(configuration, onEvent: { log.add($0) })
        for address in host.publicAddresses { Output.line("listening \(address.url) (public)") }
        if let admin = host.adminAddress { Output.line("listening \(admin.url) (admin)") }
        serve(host, log)
    }

    /// Follows signals until one ends the server.
    private static func serve(_ host: HostServer, _ log: NoticeLog) {
        while true {
            switch ControlSignal.next() {
            case .hangUp:
                log.add("looking at the whole store anew")
                host.reload()
            case .terminate, .interrupt:
                log.add("stopping: finishing what is being sent")
                // From here on a second signal ends the process, as the system does it by itself.
                ControlSignal.giveBack()
                return host.stop()
            }
        }
    }

    private static func configuration(_ arguments: Arguments) throws(UsageError) -> ServeConfiguration {
        guard arguments.positional.isEmpty else {
            throw UsageError("serve takes no argument \(arguments.positional[0])")
        }
        var listeners: [ListenAddress] = []
        for text in arguments.all("listen") { listeners.append(try address(text, "listen")) }
        if listeners.isEmpty { listeners = [.internet(host: "127.0.0.1", port: 8080)] }
        let admin: ListenAddress?
        switch try arguments.one("admin") {
        case "none": admin = nil
        case nil: admin = .internet(host: "127.0.0.1", port: 8081)
        case let text?: admin = try address(text, "admin")
        }
        if let admin, !admin.isLoopback {
            throw UsageError("--admin \(admin) is no loopback address; the admin listener has no access control")
        }
        var configuration = ServeConfiguration(
            root: try arguments.root(),
            listeners: listeners,
            admin: admin,
            loops: try arguments.number("threads", in: 1...256) ?? ProcessLimits.processors()
        )
        configuration.version = AIModelHost.version
        if let time = try arguments.milliseconds("drain-timeout") { configuration.limits.drainTime = time }
        configuration.ledger = try ledger(arguments, root: configuration.root)
        return configuration
    }

    private static func ledger(_ arguments: Arguments, root: String) throws(UsageError) -> LedgerSettings? {
        let path = try arguments.one("database") ?? LedgerSettings.defaultPath(root: root)
        guard !path.isEmpty else { throw UsageError("--database is empty") }
        var settings = LedgerSettings(path: path)
        if let time = try arguments.milliseconds("retention") {
            guard time >= 3_600_000 else { throw UsageError("--retention is shorter than an hour") }
            settings.retentionMilliseconds = time
        }
        if let octets = try arguments.octets("database-max-size") {
            guard octets >= 1 << 20 else { throw UsageError("--database-max-size is less than 1MiB") }
            settings.maximumSize = octets
        }
        return path == "none" ? nil : settings
    }

    private static func address(_ text: String, _ option: String) throws(UsageError) -> ListenAddress {
        guard let address = ListenAddress(text) else {
            throw UsageError(
                "--\(option) \(text) is no address; it takes one such as 127.0.0.1:8080, [::1]:8080 or unix:/run/host.sock"
            )
        }
        return address
    }
}
