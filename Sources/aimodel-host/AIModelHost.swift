internal import Glibc
internal import HostService
internal import HostSystem
internal import ModelStore

/// The entry of `aimodel-host`: finds the subcommand and turns errors into exit statuses.
@main
enum AIModelHost {
    static let version = "0.1.0"

    static var commands: [any Command.Type] {
        [
            ServeCommand.self, PublishCommand.self, ListCommand.self, VerifyCommand.self, PromoteCommand.self,
            RollbackCommand.self, WithdrawCommand.self, PruneCommand.self, StatsCommand.self,
            MissingCommand.self, FetchCommand.self,
        ]
    }

    static func main() {
        // Before any thread is started, so that all of them leave these signals to `serve`.
        StandardDescriptors.reserve()
        var arguments = Array(CommandLine.arguments.dropFirst())
        guard let first = arguments.first else {
            Output.errorText(Help.overview)
            exit(Exit.usage)
        }
        switch first {
        case "--version" where arguments.count == 1:
            Output.line("aimodel-host \(version)")
        case "--help", "-h":
            Output.text(Help.overview)
        case "help" where arguments.filter({ $0 != "--help" && $0 != "-h" }).count <= 2:
            help(for: arguments.dropFirst().first { $0 != "--help" && $0 != "-h" })
        case "help", "--version":
            Output.error("\(first) takes no \(arguments[arguments.count - 1])")
            exit(Exit.usage)
        default:
            arguments.removeFirst()
            guard let command = command(named: first) else {
                Output.error("there is no command \(first); aimodel-host --help lists them")
                exit(Exit.usage)
            }
            run(command, arguments)
        }
    }

    private static func command(named name: String) -> (any Command.Type)? {
        commands.first { $0.name == name }
    }

    private static func help(for name: String?) {
        guard let name, name != "help" else { return Output.text(Help.overview) }
        guard let command = command(named: name) else {
            Output.error("there is no command \(name); aimodel-host --help lists them")
            exit(Exit.usage)
        }
        Output.text(command.help)
    }

    private static func run(_ command: any Command.Type, _ arguments: [String]) {
        do {
            try command.run(arguments)
        } catch let error as UsageError where error.isHelpWanted {
            Output.text(command.help)
        } catch let error as UsageError {
            Output.error("\(error.message); see aimodel-host help \(command.name)")
            exit(Exit.usage)
        } catch let error as StartError where error.isUsage {
            Output.error("\(error)")
            exit(Exit.usage)
        } catch let error as ChangeError where error.isUsage {
            Output.error("\(error); see aimodel-host help \(command.name)")
            exit(Exit.usage)
        } catch {
            Output.error("\(error)")
            exit(Exit.failure)
        }
    }
}

/// A subcommand.
protocol Command {
    static var name: String { get }
    /// What it does, its arguments, its options with their defaults; ends with a line break.
    static var help: String { get }
    /// Throws `UsageError` for a command line that makes no sense, any other error for a failure.
    static func run(_ arguments: [String]) throws
}

/// The command line or the configuration is wrong (exit status 2).
struct UsageError: Error {
    let message: String

    /// No error at all: `--help` or `-h` stands where an option may stand, and so the command explains itself.
    static let helpWanted = UsageError("help is wanted", isHelpWanted: true)

    let isHelpWanted: Bool

    init(_ message: String) {
        self.init(message, isHelpWanted: false)
    }

    private init(_ message: String, isHelpWanted: Bool) {
        self.message = message
        self.isHelpWanted = isHelpWanted
    }
}

/// Exit statuses other than 0.
enum Exit {
    /// It failed, or findings stand.
    static let failure: CInt = 1
    /// The command line or the configuration is wrong.
    static let usage: CInt = 2
    /// Ended by Ctrl-C, as shells have it: 128 and the signal's number.
    static let interrupted: CInt = 130
}

enum Help {
    static let overview = """
        aimodel-host hosts Core AI models: each device gets exactly the tree compiled for its architecture.

        Usage: aimodel-host <command> [arguments] [options]

        Commands:
          serve      serve the published models over HTTP
          publish    inspect a build's output folder and publish it
          list       list what is published
          verify     read every byte again and hold it against the manifests
          promote    point a channel at a version
          rollback   point a channel back at what it pointed at before
          withdraw   take back a version, or one architecture of it
          prune      remove old versions
          stats      sum up downloads, and which versions devices have
          missing    list architectures that devices asked for in vain, and how to compile them
          fetch      download, verify and install a model, as a device does
          help       explain a command, as --help after it does

        Options:
          --help       this text, or a command's
          --version    the version

        Exit status: 0 done; 1 it failed, or findings stand; 2 the command line or configuration is wrong;
        130 interrupted.

        """
}
