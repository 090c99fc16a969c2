internal import HostSystem
internal import ModelCatalog

extension Instant {
    /// This moment, in whole seconds.
    static func now() -> Instant {
        guard let now = Instant(unixSeconds: CoarseClock.unixSeconds()) else {
            preconditionFailure("this machine's clock is beyond the year 9999")
        }
        return now
    }
}

/// Names on the command line, held against their rules.
enum Names {
    static func model(_ text: String) throws(UsageError) -> ModelName {
        guard let name = ModelName(text) else {
            throw UsageError("\(text) is no model's name: letters, digits, dots, dashes and underscores, at most 128")
        }
        return name
    }

    static func version(_ text: String) throws(UsageError) -> Version {
        guard let version = Version(text) else {
            throw UsageError("\(text) is no version: it begins with a digit, such as 1.4.0")
        }
        return version
    }

    static func channel(_ text: String) throws(UsageError) -> ChannelName {
        guard let channel = ChannelName(text) else {
            throw UsageError("\(text) is no channel's name: small letters, digits and dashes, such as stable")
        }
        return channel
    }

    static func architecture(_ text: String) throws(UsageError) -> Architecture {
        guard let architecture = Architecture(text) else {
            throw UsageError("\(text) is no architecture: what AIModel.deviceArchitectureName returns, such as h18p")
        }
        return architecture
    }
}
