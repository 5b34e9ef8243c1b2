import { Group, Pagination } from '@mantine/core'
import { useTranslations } from 'use-intl'

interface PageLinksProps {
  label: string
  total: number
  value: number
  onChange: (page: number) => void
}

/** The pagination buttons for a list. */
export function PageLinks({ label, total, value, onChange }: PageLinksProps) {
  const t = useTranslations('common')
  return (
    <Group justify="center" mt="lg">
      <Pagination
        aria-label={label}
        total={total}
        value={value}
        onChange={onChange}
        getControlProps={(control) => ({
          'aria-label': t(control === 'previous' ? 'previousPage' : 'nextPage'),
        })}
      />
    </Group>
  )
}
