import {
  IconAlignLeft,
  IconCalendar,
  IconChecklist,
  IconCircleDot,
  IconForms,
  IconMail,
  IconNumber123,
  IconPaperclip,
  IconPhone,
  IconSquareCheck,
  type TablerIcon,
} from '@tabler/icons-react'
import type { FormFieldType } from '#shared/forms/fields.ts'

export const fieldIcons: Record<FormFieldType, TablerIcon> = {
  text: IconForms,
  textarea: IconAlignLeft,
  email: IconMail,
  phone: IconPhone,
  number: IconNumber123,
  date: IconCalendar,
  choice: IconCircleDot,
  checkboxes: IconChecklist,
  file: IconPaperclip,
  consent: IconSquareCheck,
}
