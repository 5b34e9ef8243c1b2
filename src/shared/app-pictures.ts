/** A picture by its `_id`, below the addresses of the space's assets. */
export interface AppImage {
  type: 'image'
  value: string
  fileName: string
}

/** What an app is known by. */
export type AppIcon = { type: 'emoji'; value: string } | AppImage

/** The same as they are answered: the value of a picture is its address, as `addressOf` makes it. */
export const presentAppImage = (
  { type, value, fileName }: AppImage,
  addressOf: (id: string, fileName: string) => string,
) => ({ type, value: addressOf(value, fileName) })
export const presentAppIcon = (icon: AppIcon, addressOf: (id: string, fileName: string) => string) =>
  icon.type === 'image' ? presentAppImage(icon, addressOf) : icon
