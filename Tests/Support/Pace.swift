internal import HostSystem

/// How evenly a test goes that has to do something again and again, each time before a deadline of the server's.
package struct Pace {
    fileprivate let limit: Int64
    fileprivate var last = CoarseClock.monotonicMilliseconds()
    fileprivate var isLate = false

    fileprivate init(limit: Int64) { self.limit = limit }

    /// To be called each time that it was done.
    package mutating func step() {
        let now = CoarseClock.monotonicMilliseconds()
        if now - last > limit { isLate = true }
        last = now
    }
}

/// Whether `body` is true. It is tried again where it is not, or throws, although that shows nothing: more than `limit`
/// milliseconds went by between two steps, for the machine was busy with something else.
package func holds(unlessLaterThan limit: Int64, _ body: (inout Pace) throws -> Bool) throws -> Bool {
    var attempts = 20
    while true {
        attempts -= 1
        var pace = Pace(limit: limit)
        do {
            if try body(&pace) { return true }
            pace.step()
            if !pace.isLate || attempts == 0 { return false }
        } catch {
            pace.step()
            if !pace.isLate || attempts == 0 { throw error }
        }
    }
}
