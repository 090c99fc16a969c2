/// Where libFuzzer comes in. Each target is linked with this file and says in `examine` what holds for every input.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    // A copy with an end of its own: one octet beyond it is AddressSanitizer's.
    examine([UInt8](UnsafeBufferPointer(start: start, count: count)))
    return 0
}

/// Ends the process, which keeps the input, where a rule does not hold. `precondition` would keep the rule to itself in
/// an optimised build.
func hold(
    _ rule: @autoclosure () -> String,
    _ condition: Bool,
    file: StaticString = #fileID,
    line: UInt = #line
) {
    if !condition { fatalError("broken: \(rule())", file: file, line: line) }
}
