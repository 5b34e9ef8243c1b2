import {
  IconCalendarMonth,
  IconFileText,
  IconLayoutGrid,
  IconLayoutList,
  IconTable,
} from '@tabler/icons-react'
import type { ViewType } from '#shared/views.ts'

export const viewIcons: Record<ViewType, typeof IconTable> = {
  TABLE: IconTable,
  GALLERY: IconLayoutGrid,
  LIST: IconLayoutList,
  CALENDAR: IconCalendarMonth,
  SINGLETON: IconFileText,
}
