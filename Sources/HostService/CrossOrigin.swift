/// The fields of the Fetch standard's CORS protocol that the public listener sends.
enum CrossOrigin {
    /// What every public answer carries: any page may read it, and the fields that a client needs to resume.
    static let fields: ResponseFields = {
        var fields = ResponseFields()
        fields.add("Access-Control-Allow-Origin", "*")
        fields.add("Access-Control-Expose-Headers", exposed)
        return fields
    }()
    private static let exposed =
        "Accept-Ranges, AIModel-Problem, Content-Length, Content-Range, Digest, ETag, Last-Modified, Repr-Digest, "
        + "Retry-After"
    /// The methods that are answered here, as Allow has them too.
    static let methods = "GET, HEAD, OPTIONS"
    static let requestFields =
        "AIModel-Device, AIModel-Download, Authorization, Content-Type, If-Match, If-Modified-Since, If-None-Match, "
        + "If-Range, If-Unmodified-Since, Range"
    /// Seconds that a browser may keep the answer to a preflight.
    static let maxAge: UInt64 = 86_400
}
