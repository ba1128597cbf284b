import ChatelaineModel
import Foundation
import Sealing

/// Keybags as former versions of enclaved wrote them, and the keys that they gave out.
///
/// They never change. Version 1 comes from the home `format-2/intact`. The last enclaved that wrote version 2 opened
/// it, was asked for keys, and so wrote the other.
enum FormerKeybags {
    static let store = StoreIdentifier([UInt8](base64("J3YqVCONjwNam8BbOG+EIw=="))) ?? StoreIdentifier()
    static let uidKey = base64(
        "pAByY2hhdGVsYWluZSB1aWQga2V5AQECWCAwqJhF86e7gd0b8iVXtW4nAxacMg+Qohu2MciSZfTL3QNIhHVMH3QT3WA=")
    /// The files by version.
    static let files: [UInt64: Data] = [1: base64(version1), 2: base64(version2)]
    /// A row key of the class WhenUnlocked: wrapped by class key 1 for ``context``, and in clear.
    static let wrapped = [UInt8](
        base64(
            "sSNtBJORsU4GiuEuv6fI8+U3i7Ku6zohEtdklljw1fuwl491Vt/R17ICV8s27rtMgDVsI7Q3aFMIpPAQ"))
    static let rowKey = [UInt8](base64("R8H2UTPuApdH8Ja2LCoHbV6SKQmoQyPegf8UVzgtcZ8="))
    /// Metadata keys of the classes WhenUnlocked (2) and Always (6).
    static let metadataKeys: [UInt32: [UInt8]] = [
        2: [UInt8](base64("BA25ds4t5/b4tQOQssozpDn0y8cpDEw3DIzh7zye4qc=")),
        6: [UInt8](base64("XJ+JVK8Yqysql4xXdGZeSo754jr2stHltAIKIR//Aks=")),
    ]

    static var context: RowContext {
        RowContext(
            store: store, row: ItemIdentifier(Bytes16(repeating: 7)), version: 1, itemClass: .genericPassword,
            accessibility: .whenUnlocked, isSynchronizable: false, isTombstone: false,
            groupDigest: Bytes16(repeating: 3))
    }

    private static func base64(_ text: String) -> Data { Data(base64Encoded: text) ?? Data() }

    private static let version1 =
        "pwBxY2hhdGVsYWluZSBrZXliYWcBAQJQJ3YqVCONjwNam8BbOG+EIwNQUIyZ4/Es3cqs2+jMFDaR/QRIhHVMH3QT3WAFWQPr"
        + "pQAaawJLggEaawJLggINA4yoAAEBAQIBAwAEWDzqwurY4+9P7fTOspl2vaNn0rH/uRKAXnCggrWBA+fADV11+DzRopVF0pE8"
        + "/b/QJoDcL2RolsZXCoFat1UFBwYaawJLggf2qAACAQICAQMBBFg8h4q+6yWKDq43mGPSe3/eS7d5aqkp8vjOxuA8VAvFLXLt"
        + "EVRFaUWjoLQQCexM11ZA58URJEjVjcWznkN+BQYGGmsCS4IH9qgAAwEBAgIDAARYPOtpjhFDzI0/lQiujJR6rElrC6keiyEI"
        + "M/groTJo8ZhVlC0Khcjyfa9KZA5RvPWOQSmlxQqkK3aDgZ8axQUHBhprAkuCB/aoAAQBAgICAwMEWDy5zG9G5CzEmk91BjwB"
        + "1+B5iWG6JIFRnx40avaVDO0JadWHYwvAIyG3RV5T+6iOS0ICpDOS23QpWbHBUN0FBgYaawJLggf2qAAFAQECAwMABFg88Tr7"
        + "CCQ6x2PaLJ9UU4+ec1uoB2NrGEGP3FHnvZirAGAL0hQkunXIy7FoN8y3QCeexSvTbOb8Bm1lWO9wBQcGGmsCS4IH9qgABgEC"
        + "AgMDBQRYPJFnvIDGCcSTk4DvFzhDBXPVlTqQYjWr3d1jknxgzY+melHjhWK5RJJ4QF21cxqZkvm+yrrKTv653+TXzgUGBhpr"
        + "AkuCB/aoAAcBAQIEAwAEWDzozxouLZNRSXWABRXj9WDhNXxTlzQVLiY+FKLSO8EY4pIcwg8RMBaHD7zfHoaRyn32MWBFQGao"
        + "cKLkX/4FBwYaawJLggf2qAAIAQICBAMHBFg8/jCUyFvN6FpUD5nKLENUtrx2+3TY5kX/osRFVusPosaOMY9OY6Qfx7B64WJv"
        + "rNJxWoG/X3x6kesfPLsjBQYGGmsCS4IH9qgACQEBAgUDAARYPIcUvND2ksKZ4EKsDSalU0Z9wRs9j7jW7VCILF4uXNIZEsoa"
        + "w1imUyY1yfqKDe3jDIUh3MCOUxMKt23YrwUHBhprAkuCB/aoAAoBAgIFAwkEWDxMvTvRnbm4PoSALcbylRcjYUgX1+3RwCYr"
        + "tsi7zOg84tU8CqmGsyUFa8Ks3ctVLTAYAaul51i7Q3dp3xoFBgYaawJLggf2qAALAQECBgMABFg86z30ERaRHG9TjuZmpgVX"
        + "mzPI/Jrpfdbqpm9YL3l2v36Nx6vGtB87oZz31nbIuFJE6aNK7GGwy+zNY/mMBQcGGmsCS4IH9qgADAECAgYDCwRYPPS8vT4D"
        + "He/RH4QzxitWoBMY0hOGEcpOWDklEh4Hv2RN9Nzc7tWCJ0IlWRX3y08zomtJXlnCFJqWDg4fFgUGBhprAkuCB/YEgAZYIB/J"
        + "QyJhRpPABbUT3jYhpMkxStVAKEQMi08V2r9ASxEu"
    private static let version2 =
        "pwBxY2hhdGVsYWluZSBrZXliYWcBAgJQJ3YqVCONjwNam8BbOG+EIwNQUIyZ4/Es3cqs2+jMFDaR/QRIhHVMH3QT3WAFWQP7"
        + "pwAaawJLggEaawNRFQINA4yoAAEBAQIBAwAEWDzqwurY4+9P7fTOspl2vaNn0rH/uRKAXnCggrWBA+fADV11+DzRopVF0pE8"
        + "/b/QJoDcL2RolsZXCoFat1UFGgABAAcGGmsCS4IH9qgAAgECAgEDAQRYPIeKvuslig6uN5hj0nt/3ku3eWqpKfL4zsbgPFQL"
        + "xS1y7RFURWlFo6C0EAnsTNdWQOfFESRI1Y3Fs55DfgUaAAEABgYaawJLggf2qAADAQECAgMABFg862mOEUPMjT+VCK6MlHqs"
        + "SWsLqR6LIQgz+CuhMmjxmFWULQqFyPJ9r0pkDlG89Y5BKaXFCqQrdoOBnxrFBQcGGmsCS4IH9qgABAECAgIDAwRYPLnMb0bk"
        + "LMSaT3UGPAHX4HmJYbokgVGfHjRq9pUM7Qlp1YdjC8AjIbdFXlP7qI5LQgKkM5LbdClZscFQ3QUGBhprAkuCB/aoAAUBAQID"
        + "AwAEWDzxOvsIJDrHY9osn1RTj55zW6gHY2sYQY/cUee9mKsAYAvSFCS6dcjLsWg3zLdAJ57FK9Ns5vwGbWVY73AFBwYaawJL"
        + "ggf2qAAGAQICAwMFBFg8kWe8gMYJxJOTgO8XOEMFc9WVOpBiNavd3WOSfGDNj6Z6UeOFYrlEknhAXbVzGpmS+b7KuspO/rnf"
        + "5NfOBRoAAQAGBhprAkuCB/aoAAcBAQIEAwAEWDzozxouLZNRSXWABRXj9WDhNXxTlzQVLiY+FKLSO8EY4pIcwg8RMBaHD7zf"
        + "HoaRyn32MWBFQGaocKLkX/4FBwYaawJLggf2qAAIAQICBAMHBFg8/jCUyFvN6FpUD5nKLENUtrx2+3TY5kX/osRFVusPosaO"
        + "MY9OY6Qfx7B64WJvrNJxWoG/X3x6kesfPLsjBQYGGmsCS4IH9qgACQEBAgUDAARYPIcUvND2ksKZ4EKsDSalU0Z9wRs9j7jW"
        + "7VCILF4uXNIZEsoaw1imUyY1yfqKDe3jDIUh3MCOUxMKt23YrwUHBhprAkuCB/aoAAoBAgIFAwkEWDxMvTvRnbm4PoSALcby"
        + "lRcjYUgX1+3RwCYrtsi7zOg84tU8CqmGsyUFa8Ks3ctVLTAYAaul51i7Q3dp3xoFBgYaawJLggf2qAALAQECBgMABFg86z30"
        + "ERaRHG9TjuZmpgVXmzPI/Jrpfdbqpm9YL3l2v36Nx6vGtB87oZz31nbIuFJE6aNK7GGwy+zNY/mMBQcGGmsCS4IH9qgADAEC"
        + "AgYDCwRYPPS8vT4DHe/RH4QzxitWoBMY0hOGEcpOWDklEh4Hv2RN9Nzc7tWCJ0IlWRX3y08zomtJXlnCFJqWDg4fFgUGBhpr"
        + "AkuCB/YEgAUDBvQGWCDiXVMMQYpK3G/QH07zplcl+eKPelVlIXM2eDjZxcq5RA=="
}
