import { implement } from '#server/http/endpoints.ts'
import { mapEndpoints } from '#shared/contract/maps.ts'

export const mapRoutes = implement(mapEndpoints, {
  getMapTiles: (_ctx, _input, { config }) => config.map,
})
