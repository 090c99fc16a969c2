/// Which of two media types a client would rather have (RFC 9110, section 12.5.1).
package enum MediaPreference {
    /// True if the Accept fields of `head` rank `text/html` above `application/json`, or name it where the other is
    /// only covered by a wildcard; `fallback` where they rank both alike, accept neither, or there are none.
    ///
    /// For each type the most specific range counts (`text/html`, `text/*`, `*/*`) with its weight; parameters other
    /// than the weight are not looked at, and a part that is not well formed is left out.
    package static func prefersHTML(_ head: RequestHead, _ bytes: Span<UInt8>, default fallback: Bool) -> Bool {
        guard head.contains(.accept) else { return fallback }
        var html = Weight()
        var json = Weight()
        head.forEach(.accept) { value in
            weigh(bytes.extracting(value), &html, &json)
        }
        if html.weight != json.weight { return html.weight > json.weight }
        // `application/json, */*` takes anything, but asks for JSON.
        return html.specificity == json.specificity || html.weight == 0 ? fallback : html.specificity > json.specificity
    }

    /// The weight of one media type so far.
    private struct Weight {
        /// 0: no range matched yet; 1: `*/*`; 2: `type/*`; 3: `type/subtype`.
        private(set) var specificity = 0
        /// Thousandths.
        private(set) var weight = 0

        mutating func take(_ weight: Int, specificity: Int) {
            guard specificity > 0, specificity >= self.specificity else { return }
            self.weight = specificity > self.specificity ? weight : max(weight, self.weight)
            self.specificity = specificity
        }
    }

    private static func weigh(_ value: Span<UInt8>, _ html: inout Weight, _ json: inout Weight) {
        var start = 0
        while start <= value.count {
            let end = position(of: UInt8(ascii: ","), value, start..<value.count)
            let element = value.extracting(Octets.trimmed(value, start..<end))
            start = end &+ 1
            let parameters = position(of: UInt8(ascii: ";"), element, 0..<element.count)
            let range = element.extracting(Octets.trimmed(element, 0..<parameters))
            guard let weight = weight(element, from: parameters) else { continue }
            html.take(weight, specificity: specificity(range, "text", "html"))
            json.take(weight, specificity: specificity(range, "application", "json"))
        }
    }

    private static func specificity(_ range: Span<UInt8>, _ type: String, _ subtype: String) -> Int {
        let slash = Octets.position(of: UInt8(ascii: "/"), in: range, 0..<range.count)
        guard slash < range.count else { return 0 }
        let rangeType = range.extracting(0..<slash)
        let rangeSubtype = range.extracting((slash &+ 1)..<range.count)
        let isAnySubtype = Octets.equal(rangeSubtype, "*")
        if Octets.equalIgnoringCase(rangeType, type) {
            return isAnySubtype ? 2 : Octets.equalIgnoringCase(rangeSubtype, subtype) ? 3 : 0
        }
        return Octets.equal(rangeType, "*") && isAnySubtype ? 1 : 0
    }

    /// The weight among the parameters from `position` on: 1000 if there is none, nil if it is not well formed.
    private static func weight(_ element: Span<UInt8>, from position: Int) -> Int? {
        var weight = 1000
        var start = position
        while start < element.count {
            let end = self.position(of: UInt8(ascii: ";"), element, (start &+ 1)..<element.count)
            let parameter = element.extracting(Octets.trimmed(element, (start &+ 1)..<end))
            start = end
            guard parameter.count > 1, Octets.lowercased(parameter[0]) == UInt8(ascii: "q"),
                parameter[1] == UInt8(ascii: "=")
            else { continue }
            guard let value = qvalue(parameter.extracting(2..<parameter.count)) else { return nil }
            weight = value
        }
        return weight
    }

    /// `qvalue = ( "0" [ "." 0*3DIGIT ] ) / ( "1" [ "." 0*3("0") ] )` (section 12.4.2), in thousandths.
    private static func qvalue(_ value: Span<UInt8>) -> Int? {
        guard value.count > 0, value.count <= 5, value[0] == UInt8(ascii: "0") || value[0] == UInt8(ascii: "1"),
            value.count == 1 || value[1] == UInt8(ascii: ".")
        else { return nil }
        var thousandths = value[0] == UInt8(ascii: "1") ? 1000 : 0
        var unit = 100
        var index = 2
        while index < value.count {
            guard Octets.isDigit(value[index]) else { return nil }
            thousandths &+= Int(value[index] &- 0x30) &* unit
            unit /= 10
            index &+= 1
        }
        return thousandths <= 1000 ? thousandths : nil
    }

    /// The first `separator` in `range` outside of quoted strings, or the range's end.
    private static func position(of separator: UInt8, _ value: Span<UInt8>, _ range: Range<Int>) -> Int {
        var index = range.lowerBound
        var isQuoted = false
        while index < range.upperBound {
            let octet = value[index]
            if isQuoted, octet == UInt8(ascii: "\\") {
                index &+= 1
            } else if octet == UInt8(ascii: "\"") {
                isQuoted.toggle()
            } else if octet == separator, !isQuoted {
                return index
            }
            index &+= 1
        }
        return range.upperBound
    }
}
