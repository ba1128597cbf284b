import ChatelaineModel
import Foundation

/// A keybag of version 3 with a passcode, as an enclaved of that time wrote it.
///
/// The former keys are destroyed. The file never changes.
enum KeybagOfVersion3 {
    static let passcode = "swordfish"
    static let store = StoreIdentifier([UInt8](base64("V+pGbXbEvU1w2hc/4uPlzQ=="))) ?? StoreIdentifier()
    static let uidKey = base64(
        "pAByY2hhdGVsYWluZSB1aWQga2V5AQECWCDNKY/I0WFwNpV3p/H0ObxDJNtI4tiGbc9pp6SV1XA/mgNIykOfUDs5w24=")
    static let file = base64(content)

    private static func base64(_ text: String) -> Data { Data(base64Encoded: text) ?? Data() }

    private static let content =
        "pwBxY2hhdGVsYWluZSBrZXliYWcBAwJQV+pGbXbEvU1w2hc/4uPlzQNQ+ifbgJh7NcwJi4J5bWeUggRIykOfUDs5w24FWQWnqQAa"
        + "awOpXQEaawOpXgIXA46oAAUBAQIDAwAEWDxXs3O5tMQXqpkK50tWmt5xRsr9PKLoE73rs9JKJcNA3uU3m9A/ETxvWgi210giYmB6"
        + "Wzdu5ksF7wr34ZUFAQYaawOpXQf2qAAGAQICAwMFBFg8fEa40P3YzNd0qhhhEIXWUwXsJYXneU5wgImDI+Cy5vGbfdPBqUJavP8a"
        + "j8/JN1bEU7+SJo6uoReB2XSIBQAGGmsDqV0H9qgACwEBAgYDAARYPMi0o/uCNm8nf1B4LRg9cbjX7hwLf4y1fgEh4cSwHhi1oHgH"
        + "BHWqeZGHNJzvZ2m+BATIbd50UH1BXWn96AUBBhprA6ldB/aoAAwBAgIGAwsEWDyrMDYJnDm8fV97U0g74V5Ryai3GLvxxYUeNuLu"
        + "j4jwciWK/E81JvNpG8OEfVv9LbJmn0P89uBmuAXH5CkFAAYaawOpXQf2qAANAQECAQMABFhYKBU1PqN0vyjRRfivkBT65PssksM9"
        + "QVKeHpMOP8uYTr1bO6/dVZArCFyepZDLwTYljr5b2rUBJ8+8kSZXH6TYOuA5Paysu4xUJUYQbut+M9Pk3pgT9kiphAUBBhprA6le"
        + "B/aoAA4BAgIBAw0EWDx/hX5PDC0WmTPDTWINkB9I+agGVJnR2VHzB9zV3brFN+n5ADzZszhnZBQhRMIDFAGz7WuU1/QUHwHHu3EF"
        + "AAYaawOpXgf2qAAPAQECAgMABFhYIEnIVqI9SRw2+NUE4m/rrPWuG10nQW72Ygn5MVPcNOBLH8ke13x4jcBfKZNhIFbToaa2aoBj"
        + "MlO04aSsrknruuAKTY0sFq1MxA+Q0VnadkZSKuP6GM41qgUBBhprA6leB/aoABABAgICAw8EWDwu18ihtZO0nhJk4GG3VioV4WLB"
        + "5h3IVTyFUSaFKl3jGK146kCDs0qlaubkCdrlSJKQilqcGvgcYWXbbAAFAAYaawOpXgf2qAARAQECBAMABFhY9OQa/WJkKdZvbQXv"
        + "mtuna69RE7nwTNjhPv5DzG1gKJSpZ/BsFqgdHsWw7JePI3abD5Hy48slTJvYh85rmkNuvDUy5axv4ItgL8J/9thwRq9WjoCjCbAX"
        + "xgUBBhprA6leB/aoABIBAgIEAxEEWDwYbfgY3OavxN1nlFdTDIj3cPGhN8/RG5rW3QnFiKOWGP5pe7Jr5hc4/DPaPXk2ZetWBE4c"
        + "Ot4pi1Lz8x0FAAYaawOpXgf2qAATAQECBQMABFhYe4vtrUbiKwjfby3IbVGvC8eMeRjRz3tlbmbv5XgM6hDNOaYcnkniosHWetaq"
        + "gqhIlGt2BrES7g8JCNdLT72GP+IJuik2QRPqfu/RvoxdSkW64fMw/TfUygUBBhprA6leB/aoABQBAgIFAxMEWDz57npHBhgwhQnI"
        + "AOYHRQu6kncaabMPVkv3zpOLfHo+ziMAryuOvrRLMI8OAim/JeOhBCRFZdA/AXHK4vEFAAYaawOpXgf2qAAVAQECBwMABFhY7Mgv"
        + "mGex4UqYDLZvzAWuQTVsHHpWR5GOXTnMhxwZgSHU44+l8BGks7/BRFTnBF91mtEO7rb42BQBHb9cWnxIDd1W2DHi2NvPAAjmaCjT"
        + "wccvByIKsF+ySAUBBhprA6leB/aoABYBAgIHAxUEWDzVelBUMcuRucIPreVWqSxhN8M8c1J+c1qGz4cVjSwdXkU0q/fhivS2ncT6"
        + "7vq7F2gkMVkKhdDHoFOTRoYFAAYaawOpXgf2BIgBAgMEBwgJCgUEBvUHpgBQjYV6uaV/RCI9dJ54o3Ho8QEZZAACAwMBBFggvyvx"
        + "fPhaUKaqwsZvxCUZMnHQLUWzfHutlVmHzsA/TdAFWDziU0eFze8++KPS3RoLAwLR0K3m1gwmSp1M/uUJaskv1awyn9rosm7DESEa"
        + "B3UO7AlEnOyMz5TJiSihW2YIAQZYIIkM7GD3w14N5loJuO2S452AS4IoG0ZsUP0FYG665jAo"
}
