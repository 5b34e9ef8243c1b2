import { Drawer, type DrawerProps } from '@mantine/core'
import { useTranslations } from 'use-intl'
import { useLayer } from '#admin/lib/layers.ts'

/** A drawer at an edge of the page; by default at the right edge. */
export function SideWindow({ styles, ...props }: DrawerProps & { styles?: Record<string, object> }) {
  const t = useTranslations('common')
  useLayer(props.opened, props.onClose)
  return (
    <Drawer
      position="right"
      overlayProps={{ color: '#000', backgroundOpacity: 0.3 }}
      transitionProps={{ duration: 100 }}
      closeButtonProps={{ 'aria-label': t('close') }}
      // Mantine's `<header>` would be a second banner landmark.
      attributes={{ header: { role: 'none' } }}
      styles={{ ...styles, title: { fontWeight: 650, ...styles?.title } }}
      {...props}
    />
  )
}
