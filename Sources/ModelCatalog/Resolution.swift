/// What a device asks: which download of this version is mine?
package struct DeviceQuestion: Hashable, Sendable {
    /// What to do where there is nothing compiled for the architecture.
    package enum Fallback: String, Hashable, Sendable {
        /// Offer the portable asset.
        case portable
        /// Say so.
        case none
    }

    package let architecture: Architecture
    package let os: OSVersion?
    /// For the records; the architecture alone decides.
    package let platform: String?
    package let installed: Version?
    package let device: String?
    package let fallback: Fallback

    package init(
        architecture: Architecture,
        os: OSVersion? = nil,
        platform: String? = nil,
        installed: Version? = nil,
        device: String? = nil,
        fallback: Fallback = .portable
    ) {
        self.architecture = architecture
        self.os = os
        self.platform = platform
        self.installed = installed
        self.device = device
        self.fallback = fallback
    }
}

/// Why this asset and no other was chosen, in the words of the HTTP contract.
package enum ChoiceReason: String, Hashable, Sendable {
    case compiledForArchitecture = "compiled-for-architecture"
    case noVariant = "no-variant-for-architecture"
    case variantWithdrawn = "variant-withdrawn"
}

/// The one asset of a base that this device should download.
package struct Choice: Hashable, Sendable {
    package let base: String
    package let asset: Asset
    package let reason: ChoiceReason

    package init(base: String, asset: Asset, reason: ChoiceReason) {
        self.base = base
        self.asset = asset
        self.reason = reason
    }
}

/// Why a device should download nothing of this version.
package enum ResolutionRefusal: Error, Hashable, Sendable {
    /// `available` are the architectures that this base can be had for, withdrawn ones left out; `portable` is there
    /// where the question forbade it.
    case noVariant(base: String, architecture: Architecture, available: [Architecture], portable: Asset?)
    case variantWithdrawn(Withdrawal, base: String, portable: Asset?)
    /// As the manifest writes it.
    case requiresNewerOS(minimum: String)
}

/// The answer: one choice for each base, and the companions.
package struct Resolution: Hashable, Sendable {
    package let model: ModelName
    package let version: Version
    /// By which the version was found, nil where it was named.
    package let channel: ChannelName?
    /// Whether what the device says it has is not this version. True where it says nothing; after a roll-back the
    /// version offered may be the lower one.
    package let updateAvailable: Bool
    /// In the order of `Manifest.bases`.
    package let choices: [Choice]
    package let companions: [ManifestFile]

    /// What the device should download of the version that `manifest` describes.
    ///
    /// Whether the whole version is withdrawn is for the caller to ask first. Here the system comes first: of a
    /// release that the device cannot run, nothing else is of interest. Then each base in turn; the first that cannot
    /// be had refuses the whole, for half a pipeline is of no use.
    ///
    /// - Parameter entry: the model that the manifest belongs to, for what was withdrawn.
    package static func resolve(
        _ question: DeviceQuestion,
        manifest: Manifest,
        entry: ModelEntry,
        channel: ChannelName? = nil
    ) throws(ResolutionRefusal) -> Resolution {
        if let os = question.os, let minimum = manifest.minDeploymentVersion, os < minimum {
            throw .requiresNewerOS(minimum: minimum.text)
        }
        var choices: [Choice] = []
        for base in manifest.bases {
            choices.append(try choose(base, for: question, of: manifest, entry: entry))
        }
        return Resolution(
            model: manifest.model,
            version: manifest.version,
            channel: channel,
            updateAvailable: question.installed != manifest.version,
            choices: choices,
            companions: manifest.companions
        )
    }

    /// The architectures that a base can be had for today: withdrawn ones left out.
    package static func availableArchitectures(of base: String, manifest: Manifest, entry: ModelEntry) -> [Architecture]
    {
        manifest.architectures.filter {
            manifest.asset(base: base, kind: .compiled($0)) != nil
                && entry.withdrawal(of: manifest.version, architecture: $0) == nil
        }
    }

    private static func choose(
        _ base: String,
        for question: DeviceQuestion,
        of manifest: Manifest,
        entry: ModelEntry
    ) throws(ResolutionRefusal) -> Choice {
        let compiled = manifest.asset(base: base, kind: .compiled(question.architecture))
        let withdrawal = entry.withdrawal(of: manifest.version, architecture: question.architecture)
        if let compiled, withdrawal == nil {
            return Choice(base: base, asset: compiled, reason: .compiledForArchitecture)
        }
        let portable = manifest.asset(base: base, kind: .portable)
        if let portable, question.fallback == .portable {
            return Choice(base: base, asset: portable, reason: compiled == nil ? .noVariant : .variantWithdrawn)
        }
        // A withdrawal of what this base never had is not the reason.
        if let withdrawal, compiled != nil {
            throw .variantWithdrawn(withdrawal, base: base, portable: portable)
        }
        throw .noVariant(
            base: base,
            architecture: question.architecture,
            available: availableArchitectures(of: base, manifest: manifest, entry: entry),
            portable: portable
        )
    }
}
