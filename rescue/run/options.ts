import type { Access } from '#rescue/newt/connect.ts'

export interface RescueOptions extends Access {
  models: readonly string[]
  out: string
  zip: boolean
  maxAssetBytes: number
}
