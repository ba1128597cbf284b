/// What this project accepts, in one place; each limit is tested.
public enum Limits {
    /// A secret: room for a PKCS#12 file or a key ring export, small enough to be sealed in one piece.
    public static let secretBytes = 16 * 1024 * 1024
    /// All attributes of one item, encoded: far above any real item, and with the secret still within one frame.
    public static let attributeBytes = 512 * 1024
    /// Distinct pairs in a dictionary (behaviour/limits.md, 1).
    public static let dictionaryPairs = 128
    /// How long after it first sent a change a client may send it again, in seconds: longer than any daemon takes to come back,
    /// and the shorter, the sooner an answer can be forgotten.
    public static let repetitionSeconds = 600
    /// References in a list of items: a quarter of a mebibyte in a request, and look-ups for some tenths of a second.
    public static let listedItems = 16 * 1024
}
