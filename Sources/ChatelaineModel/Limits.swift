/// What this project accepts, in one place; each limit is tested.
public enum Limits {
    /// A secret: room for a PKCS#12 file or a key ring export, small enough to be sealed in one piece.
    public static let secretBytes = 16 * 1024 * 1024
    /// All attributes of one item, encoded: far above any real item, and with the secret still within one frame.
    public static let attributeBytes = 512 * 1024
    /// Distinct pairs in a dictionary (behaviour A.4).
    public static let dictionaryPairs = 128
}
