/** A picture by the `_id` of its asset in the space. */
export interface AppImage {
  type: 'image'
  value: string
  fileName: string
}

/** The icon of an app. */
export type AppIcon = { type: 'emoji'; value: string } | AppImage

/** The picture as responses contain it: `value` becomes its address, made by `addressOf`. */
export const presentAppImage = (
  { type, value, fileName }: AppImage,
  addressOf: (id: string, fileName: string) => string,
) => ({ type, value: addressOf(value, fileName) })
export const presentAppIcon = (icon: AppIcon, addressOf: (id: string, fileName: string) => string) =>
  icon.type === 'image' ? presentAppImage(icon, addressOf) : icon
