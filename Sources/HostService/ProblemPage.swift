internal import HTTPWire

/// `/problems/<code>`: what the `type` of a problem document means (RFC 9457 3.1.1), for people and programs.
extension Locator {
    func problemPage(_ walk: Walk) throws(Detour) -> Located {
        guard let page = ProblemPage.document(at: walk.inquiry.path, asHTML: walk.inquiry.prefersHTML) else {
            throw .problem(.unknownResource(walk.instance))
        }
        return .document(page)
    }
}

enum ProblemPage {
    /// Where each `ProblemDetails.type` begins.
    private static let folder = "/problems/"

    /// What stands at `/problems` and below, on either listener; nil for other paths.
    static func document(at path: RequestPath, asHTML: Bool) -> Document? {
        guard path.segments.first == "problems" else { return nil }
        switch path.segments.count {
        case 1: return index(asHTML: asHTML)
        case 2: return ProblemCode(rawValue: path.segments[1]).map { page($0, asHTML: asHTML) }
        default: return nil
        }
    }

    private static func index(asHTML: Bool) -> Document {
        let codes = ProblemCode.allCases
        if asHTML {
            let rows = codes.map { ListingPage.Row(file: $0.rawValue) }
            return ListingPage.page("Problems", parent: nil, rows, at: folder)
        }
        let listed = JSONValue.object([("problems", .array(codes.map { json($0) }))])
        return Listing.listed(listed.encode(), mediaType: "application/json")
    }

    private static func page(_ code: ProblemCode, asHTML: Bool) -> Document {
        guard asHTML else { return Listing.listed(json(code).encode(), mediaType: "application/json") }
        let retry =
            code.retryable
            ? "The same request may succeed later." : "The same request will not succeed later; do not repeat it."
        let body = """
            <p><b>\(code.status)</b> \(HTMLPage.escaped(code.title))</p>
            <p>\(HTMLPage.escapedWithCode(explanation(of: code)))</p>
            <p>\(retry)</p>
            <p><a href="\(folder)">All problems</a></p>

            """
        return HTMLPage.document(code.rawValue, body: body)
    }

    private static func json(_ code: ProblemCode) -> JSONValue {
        .object([
            ("type", .string(ProblemDetails.type(of: code))),
            ("title", .string(code.title)),
            ("status", .int(Int64(code.status))),
            ("retryable", .bool(code.retryable)),
            ("explanation", .string(explanation(of: code))),
        ])
    }

    /// What the problem means and what a client should do.
    private static func explanation(of code: ProblemCode) -> String {
        switch code {
        case .unknownModel: "No model of this name is published. `models` holds names that are close in spelling."
        case .unknownVersion: "The model has no such version. `versions` and `latest` say what there is."
        case .unknownChannel: "The model has no such channel. `channels` lists those it has."
        case .versionWithdrawn: "The version was published and taken back. Take `replacement` where there is one."
        case .variantWithdrawn:
            "The compiled variant for this architecture was taken back. The portable asset named in `portable` runs."
        case .noVariantForArchitecture:
            "The release is here, but was not compiled for this architecture. It is not a network failure. "
                + "Take the asset named in `portable`, which the device compiles itself."
        case .noPortableVariant: "The release holds compiled variants only; `availableArchitectures` lists them."
        case .requiresNewerOS:
            "The version needs a newer system. `compatibleVersion` names one that runs, where there is one."
        case .unknownAsset: "The version has no such asset. `assets` lists those it has."
        case .unknownFile: "The asset or version has no such file. The manifest lists every file."
        case .assetDamaged:
            "The file on this host is not what its manifest says, or the manifest cannot be read, so it is not sent. "
                + "The operator has to mend it."
        case .invalidParameter: "A query parameter, named in `parameter`, is missing or not of its form."
        case .badRequest:
            "The request is not HTTP/1.1 as RFC 9112 has it, or its body is not what the resource takes; `detail` says "
                + "which, and where."
        case .payloadTooLarge: "The request's body is larger than this resource takes."
        case .uriTooLong: "The request target is longer than \(RequestLimits.told.targetText)."
        case .headerFieldsTooLarge: "The request's fields are more than is read here (\(RequestLimits.told.headText))."
        case .unsupportedMediaType: "The request's body has a type that this resource does not take."
        case .methodNotAllowed: "The method is not possible here. Allow lists those that are."
        case .notImplemented: "The method, or the body's transfer coding, is not known here."
        case .versionNotSupported: "Only HTTP/1.1 and HTTP/1.0 are spoken here."
        case .preconditionFailed: "The file is not the one that the request's precondition names."
        case .rangeNotSatisfiable: "No range asked for lies within the file. Content-Range gives its size."
        case .overCapacity: "The host has no room for the request just now. Retry-After says when to ask again."
        case .rateLimited: "Too many requests from this client. Retry-After says when to ask again."
        case .unknownResource: "There is nothing at this path. Published models are listed at /models."
        case .requestTimeout: "The request did not arrive in time."
        case .expectationFailed: "Expect names something other than 100-continue."
        case .misdirectedRequest: "The listener does not answer for this Host."
        case .unauthorized: "The token or signature is invalid or has expired."
        case .forbidden: "The token or signature does not reach this resource."
        }
    }
}
