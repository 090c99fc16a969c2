internal import Foundation
internal import HTTPWire
internal import HostSystem
internal import ModelDelivery

/// `fetch`: the device's side on the command line.
enum FetchCommand: Command {
    static let name = "fetch"

    static let help = """
        Usage: aimodel-host fetch URL --arch A [options]

        Downloads what a device of this architecture should have of a model, verifies every byte, and installs it: the
        final folder never exists with wrong or missing content. A download that was interrupted goes on where it
        stopped; files that an installed version holds already are not downloaded again. URL ends in /models/MODEL.

        Options:
          --arch A           the architecture, as AIModel.deviceArchitectureName gives it, such as h18p
          --into DIR         where models are installed (default: the working directory)
          --version V        a version or a channel (default: latest)
          --fallback F       portable: take the portable asset where there is no compiled one (default); none: refuse
          --os X             the system's version, such as 27.1: refuse what needs a newer one
          --platform P       the platform, such as iOS
          --device ID        what the device calls itself
          --json             the installation as JSON on standard output

        The path of the installed version is the last line on standard output. Unfinished downloads lie below
        DIR/.delivery and are kept on Ctrl-C (exit status 130).

        """

    static func run(_ arguments: [String]) throws {
        let arguments = try Arguments(
            arguments,
            options: ["arch", "into", "version", "fallback", "os", "platform", "device"],
            flags: ["json"]
        )
        let host = try host(arguments)
        let folder = URL(fileURLWithPath: try arguments.one("into") ?? ".", isDirectory: true)
        ControlSignal.takeOver()
        do {
            let library = try ModelLibrary(folder: folder)
            show(try install(library.install(from: host)), asJSON: arguments.has("json"))
        } catch DeliveryError.cancelled {
            Output.error("interrupted; what was downloaded is kept, and the same command goes on from there")
            exit(Exit.interrupted)
        } catch let error as DeliveryError {
            Output.error(printable("\(error.code): \(error)"))
            exit(Exit.failure)
        }
    }

    private static func host(_ arguments: Arguments) throws -> ModelHost {
        guard arguments.positional.count == 1 else { throw UsageError("fetch takes one URL") }
        guard let url = URL(string: arguments.positional[0]), url.scheme != nil else {
            throw UsageError(
                "\(arguments.positional[0]) is no URL; it takes one such as http://127.0.0.1:8080/models/Sam3"
            )
        }
        guard let architecture = try arguments.one("arch") else { throw UsageError("fetch needs --arch") }
        _ = try Names.architecture(architecture)
        do {
            var host = try ModelHost(
                modelURL: url,
                version: VersionSelector(try arguments.one("version") ?? "latest"),
                device: DeliveryDevice(
                    architecture: architecture,
                    osVersion: try arguments.one("os"),
                    platform: try arguments.one("platform"),
                    identifier: try arguments.one("device")
                )
            )
            if let text = try arguments.one("fallback") {
                guard let fallback = Fallback(rawValue: text) else {
                    throw UsageError("--fallback is \(text), but takes portable or none")
                }
                host.fallback = fallback
            }
            return host
        } catch let error as DeliveryError {
            throw UsageError("\(error)")
        }
    }

    /// Waits for the installation on the main thread, drawing its progress; Ctrl-C and SIGTERM cancel it.
    private static func install(_ installation: ModelInstallation) throws -> InstalledModel {
        // It waits for a signal as long as the process lives, so nobody joins it.
        _ = try OSThread(name: "signals") {
            _ = ControlSignal.next()
            installation.cancel()
        }
        let outcome = Monitor<Result<InstalledModel, any Error>?>(nil)
        Task.detached {
            let bar = ProgressBar("fetching")
            for await progress in installation.progress {
                bar.update(done: progress.bytes, total: progress.total)
            }
            bar.finish()
            do {
                let installed = try await installation.value
                outcome.update { $0 = .success(installed) }
            } catch {
                outcome.update { $0 = .failure(error) }
            }
        }
        return try outcome.await { $0 }.get()
    }

    /// A host's words are in it: what would move the cursor, retitle the window or turn the line around is escaped.
    private static func printable(_ text: String) -> String {
        text.unicodeScalars.reduce(into: "") { printable, scalar in
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator:
                printable += "\\u{" + String(scalar.value, radix: 16) + "}"
            default:
                printable.unicodeScalars.append(scalar)
            }
        }
    }

    private static func show(_ installed: InstalledModel, asJSON: Bool) {
        if asJSON {
            return Output.json([
                ("model", .string(installed.model)),
                ("version", .string(installed.version)),
                ("folder", .string(installed.folder.path)),
                (
                    "assets",
                    .array(
                        installed.assets.map {
                            .object([
                                ("base", .string($0.base)),
                                ("name", .string($0.name)),
                                ("architecture", $0.architecture.map { .string($0) } ?? .null),
                                ("path", .string($0.url.path)),
                                ("size", .int(Int64(clamping: $0.size))),
                                ("digest", .string($0.digest)),
                            ])
                        }
                    )
                ),
            ])
        }
        Output.line(installed.folder.path)
    }
}
