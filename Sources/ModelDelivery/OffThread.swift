internal import Foundation
internal import Synchronization

/// Says to blocking work that nobody waits for it any more.
final class CancelFlag: Sendable {
    private let flag = Atomic(false)

    func set() { flag.store(true, ordering: .relaxed) }

    func check() throws(DeliveryError) {
        if flag.load(ordering: .relaxed) { throw .cancelled }
    }
}

/// Blocking work, hashing above all, has threads of its own: those of Swift's tasks are as few as the cores.
private let blockingQueue = DispatchQueue(label: "ModelDelivery.files", qos: .utility, attributes: .concurrent)

/// Runs blocking work elsewhere. The flag that it is given is set when the task is cancelled.
func offThread<Value: Sendable>(
    _ work: @escaping @Sendable (CancelFlag) throws(DeliveryError) -> Value
) async throws(DeliveryError) -> Value {
    let flag = CancelFlag()
    let result: Result<Value, DeliveryError> = await withTaskCancellationHandler {
        await withCheckedContinuation { continuation in
            blockingQueue.async {
                do throws(DeliveryError) {
                    try flag.check()
                    continuation.resume(returning: .success(try work(flag)))
                } catch {
                    continuation.resume(returning: .failure(error))
                }
            }
        }
    } onCancel: {
        flag.set()
    }
    return try result.get()
}

/// The same for work that is not worth interrupting.
func offThread<Value: Sendable>(
    _ work: @escaping @Sendable () throws(DeliveryError) -> Value
) async throws(DeliveryError) -> Value {
    try await offThread { (_: CancelFlag) throws(DeliveryError) in try work() }
}
