internal import Synchronization

/// An installation under way.
///
/// Free to use from any thread. It goes on when the last reference to it is gone.
public final class ModelInstallation: Sendable {
    /// How far it is: the newest value only, at most twice a second, and one last value at the end. Ends when the
    /// installation does, in whichever way. For one reader.
    public let progress: AsyncStream<DeliveryProgress>
    private let task: Task<Result<InstalledModel, DeliveryError>, Never>

    init(
        seams: DeliverySeams,
        _ work: @escaping @Sendable (ProgressMeter) async throws(DeliveryError) -> InstalledModel
    ) {
        let (stream, continuation) = AsyncStream<DeliveryProgress>.makeStream(bufferingPolicy: .bufferingNewest(1))
        progress = stream
        let meter = ProgressMeter(seams: seams) { continuation.yield($0) }
        task = Task {
            let result: Result<InstalledModel, DeliveryError>
            do throws(DeliveryError) {
                result = .success(try await work(meter))
                meter.finish()
            } catch {
                result = .failure(error)
                meter.flush()
            }
            continuation.finish()
            return result
        }
    }

    /// The installed version, when it is. A task that waits here and is cancelled cancels the installation.
    public var value: InstalledModel {
        get async throws(DeliveryError) {
            let task = self.task
            return try await withTaskCancellationHandler {
                await task.value
            } onCancel: {
                task.cancel()
            }.get()
        }
    }

    /// Ends the work at once. What was fetched is kept, and `value` throws `cancelled`.
    public func cancel() { task.cancel() }
}
