import { implement } from '#server/http/endpoints.ts'
import { mapEndpoints } from '#shared/contract/maps.ts'

export const mapRoutes = implement(mapEndpoints, {
  getMapTiles: ({ services }) => services.config.map,
})
