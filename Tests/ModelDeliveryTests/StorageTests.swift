import Foundation
import Glibc
import ModelDelivery
import TestSupport
import Testing

@Suite("Room on the disk")
struct StorageTests {
    @Test("Too little room is found before anything is transferred, and told with figures")
    func preflight() async throws {
        let device = try Device(.single())
        let library = try device.library {
            $0.spaceCheck = .recommended
            $0.seams.freeBytes = { _ in 1 << 20 }
        }
        let host = try device.host()
        let error = await failure { () async throws(DeliveryError) in try await library.install(from: host).value }
        // What the manifest asks for: three times the size and 512 MiB.
        #expect(error == .insufficientStorage(required: 3 * 100_000 + 512 << 20, available: 1 << 20))
        #expect(device.proxy.files.isEmpty)
    }

    @Test("What is here already takes no room again")
    func preflightOfRest() async throws {
        let device = try Device(.single()) { request, count in
            request.target.hasSuffix("main.mlirb") && count == 0 ? .cut(60_000) : .none
        }
        let host = try device.host()
        let first = try device.library { $0.attemptsWithoutProgress = 1 }
        _ = await failure { () async throws(DeliveryError) in try await first.install(from: host).value }
        let library = try device.library { $0.seams.freeBytes = { _ in 40_000 } }
        _ = try await library.install(from: host).value
        #expect(library.current("Sam3") != nil)
    }

    @Test(
        "A disk that fills in mid-download: one attempt, the partial kept, the version in use intact",
        arguments: [
            ENOSPC, EDQUOT,
        ]
    )
    func fills(code: Int32) async throws {
        let device = try Device(.single(version: "1.4.0", seed: 1), .single(version: "1.5.0", seed: 2))
        let old = try await device.library().install(from: device.host(.version("1.4.0"))).value
        device.proxy.forget()
        let isFull = Box(true)
        let library = try device.library {
            $0.seams.writeFault = { offset, count in isFull.value && offset + UInt64(count) > 50_000 ? code : nil }
            $0.seams.freeBytes = { _ in isFull.value ? 200_000 : 1 << 30 }
        }
        let host = try device.host(.version("1.5.0"))
        let error = await failure { () async throws(DeliveryError) in try await library.install(from: host).value }
        guard case .insufficientStorage(let required, _) = error else {
            return #expect(Bool(false), "\(String(describing: error))")
        }
        #expect(required <= 100_000 && required > 0)
        #expect(device.proxy.files.count == 1)
        #expect(library.current("Sam3") == old)
        #expect(try await library.verify(old).isEmpty)
        let kept = library.storage().unfinished

        isFull.update { $0 = false }
        let new = try await library.install(from: host).value
        #expect(new.version == "1.5.0")
        #expect(try await library.verify(new).isEmpty)
        #expect(device.proxy.files.last?.bodyBytes == 100_000 - Int(kept))
    }

    @Test("Another fault of the disk is told as such, and not tried again")
    func fault() async throws {
        let device = try Device(.single())
        let library = try device.library { $0.seams.writeFault = { _, _ in EIO } }
        let host = try device.host()
        let error = await failure { () async throws(DeliveryError) in try await library.install(from: host).value }
        guard case .fileSystem("write", _, EIO) = error else {
            return #expect(Bool(false), "\(String(describing: error))")
        }
        #expect(device.proxy.files.count == 1)
    }
}
