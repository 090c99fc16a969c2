// Of Core AI what docs/ios.md uses, as its documentation declares it: documentation.py holds the text against it.
import Foundation

public enum ComputeUnitKind: Sendable {
    case cpu, gpu, neuralEngine
}

public struct SpecializationOptions: Sendable {
    public static let `default` = SpecializationOptions()
    public static let cpuOnly = SpecializationOptions()
    public var expectFrequentReshapes = false

    init() {}
    public init(preferredComputeUnitKind: ComputeUnitKind) {}
}

public struct AIModel: Sendable {
    public static var deviceArchitectureName: String { "h18p" }

    public init(contentsOf modelURL: URL, options: SpecializationOptions = .default) async throws {}
}

public final class AIModelCache: Sendable {
    public static let `default` = AIModelCache()

    public init() {}
    public func model(for modelURL: URL, options: SpecializationOptions) throws -> AIModel? { nil }
    public func deleteEntries(for modelURL: URL) throws {}
}
