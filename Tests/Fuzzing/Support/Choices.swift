/// Small choices taken from an input's end, so that its beginning stays text that a dictionary can help to change.
struct Choices {
    /// What is left of the input.
    private(set) var rest: ArraySlice<UInt8>

    init(_ input: [UInt8]) {
        rest = input[...]
    }

    /// The last octet that is left; 0 where there is none.
    mutating func octet() -> UInt8 { rest.popLast() ?? 0 }

    /// A number of 64 bits: as often a small one as one next to a power of two, where overflows are.
    mutating func number() -> UInt64 {
        let form = octet()
        let near = UInt64(octet())
        switch form & 3 {
        case 0: return near
        case 1: return near << 8 | UInt64(octet())
        case 2: return (1 << UInt64(form >> 2)) &+ near &- 128
        default: return UInt64.max &- near
        }
    }
}

/// Where to cut an input into pieces; the same for the same seed (SplitMix64).
struct Pieces {
    private var state: UInt64

    init(seed: UInt8) {
        state = UInt64(seed)
    }

    /// How many octets come next: mostly few, at times many, never none.
    mutating func next() -> Int {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ value >> 30) &* 0xBF58_476D_1CE4_E5B9
        value ^= value >> 27
        return 1 + Int(value >> 8 & (value & 3 == 0 ? 63 : 7))
    }
}
