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
          --tls-listen ADDRESS  the same over TLS, may stand more than once; with it alone nothing is served plainly
          --tls-cert FILE       the certificate of the TLS listeners, those behind it after it (PEM); --tls-cert and
          --tls-key FILE        its key (PEM) may stand more than once, in pairs: the client's server name (SNI)
                                chooses, and the first pair serves who names none or another
          --tls-min VERSION     1.2 or 1.3 (default: 1.2)
          --tls-client-ca FILE  those whose clients' certificates are good (PEM; default: no client is asked for one)
          --tls-client-verify required|optional
                                whether a client must show one (default: required)
          --admin ADDRESS       where operators are served: the ops page at /, /api/overview, /healthz, /readyz, /metrics;
                                a loopback address or a unix socket
                                (default: 127.0.0.1:8081; none: nowhere)
          --database FILE       the SQLite ledger of what devices ask and get (default: var/telemetry.sqlite below the
                                root; none: nothing is recorded)
          --retention TIME      how long its rows are kept; daily sums stay (default: 90d)
          --database-max-size SIZE
                                the oldest downloads go when the file would be greater, at least 16MiB (default: 4GiB)
          --threads N           event loops, 1 to 256 (default: one per processor)
          --drain-timeout TIME  how long answers under way may take after a stop (default: 30s)

        Deadlines: 10 s for a request's head, 60 s between two requests, 60 s in which a client takes nothing of an
        answer, 10 s for a TLS handshake. There is none for a whole download.

        Once a listener accepts, a line `listening <url> (public or admin)` stands on standard output.
        SIGTERM, SIGINT: stop accepting, finish what is being sent, exit 0. A second one ends at once.
        SIGHUP: look at the whole store anew, and read certificates and keys anew. Changes of manifests/, and of
        certificate and key files, are seen without it; a certificate that cannot be used does not replace the one in use.

        """

    static func run(_ arguments: [String]) throws {
        let options: Set = [
            "root", "listen", "admin", "threads", "drain-timeout", "database", "retention", "database-max-size",
            "tls-listen", "tls-cert", "tls-key", "tls-min", "tls-client-ca", "tls-client-verify",
        ]
        let arguments = try Arguments(arguments, options: options)
        let configuration = try configuration(arguments)
        _ = ProcessLimits.raiseOpenFiles()
        ControlSignal.takeOver()
        let log = try NoticeLog()
        let host = try HostServer(configuration, onEvent: { log.add($0) })
        for address in host.publicAddresses { Output.line("listening \(address.url) (public)") }
        for address in host.secureAddresses { Output.line("listening \(address.url(isSecure: true)) (public)") }
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
        var secureListeners: [ListenAddress] = []
        for text in arguments.all("tls-listen") { secureListeners.append(try address(text, "tls-listen")) }
        if listeners.isEmpty, secureListeners.isEmpty { listeners = [.internet(host: "127.0.0.1", port: 8080)] }
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
        configuration.secureListeners = secureListeners
        configuration.tls = try tls(arguments, isServed: !secureListeners.isEmpty)
        return configuration
    }

    /// What the --tls- options say; nil where nothing is served over TLS.
    private static func tls(_ arguments: Arguments, isServed: Bool) throws(UsageError) -> TLSSettings? {
        let chains = arguments.all("tls-cert")
        let keys = arguments.all("tls-key")
        let minimum = try arguments.one("tls-min")
        let authorities = try arguments.one("tls-client-ca")
        let verification = try arguments.one("tls-client-verify")
        guard isServed else {
            guard chains.isEmpty, keys.isEmpty, minimum == nil, authorities == nil, verification == nil else {
                throw UsageError("there is no --tls-listen that the other --tls- options could be for")
            }
            return nil
        }
        guard !chains.isEmpty else { throw UsageError("--tls-listen needs --tls-cert and --tls-key") }
        guard chains.count == keys.count else {
            throw UsageError("there are \(chains.count) --tls-cert and \(keys.count) --tls-key; they come in pairs")
        }
        var settings = TLSSettings(pairs: zip(chains, keys).map { TLSSettings.KeyPair(chain: $0, key: $1) })
        switch minimum {
        case "1.2", nil: settings.minimum = .tls12
        case "1.3": settings.minimum = .tls13
        case let text?: throw UsageError("--tls-min is \(text), but takes 1.2 or 1.3")
        }
        settings.clientAuthorities = authorities
        if verification != nil, authorities == nil {
            throw UsageError("--tls-client-verify needs --tls-client-ca: certificates of whom?")
        }
        switch verification {
        case "required", nil: settings.clientVerification = .required
        case "optional": settings.clientVerification = .optional
        case let text?: throw UsageError("--tls-client-verify is \(text), but takes required or optional")
        }
        return settings
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
            guard octets >= 16 << 20 else { throw UsageError("--database-max-size is less than 16MiB") }
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
